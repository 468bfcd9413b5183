"""Praise: what was at work when the user praised is strengthened."""
