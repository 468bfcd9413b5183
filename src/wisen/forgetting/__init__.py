"""Forgetting: words, sessions and projects that go for good, and what is too old."""
