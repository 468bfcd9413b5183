"""Stage one: from agents' logs to events in the index."""
