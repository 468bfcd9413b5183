"""Proposals: what waits for a person, what was answered, and how it is undone."""
