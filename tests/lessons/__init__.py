"""From what was said to entries, and when they are proposed."""
