"""Forgetting: deletes words, sessions and projects for good, and retires old sessions."""
