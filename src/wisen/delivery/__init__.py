"""The one arbiter of what agents are told: snapshots that hooks answer from, and what hooks leave behind."""
