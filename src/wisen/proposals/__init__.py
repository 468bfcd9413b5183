"""Proposals: what awaits a person's decision, and what an answer does."""
