"""Proposals: what waits for a person, and what an answer does."""
