"""Failures, fixes and goals in recorded sessions."""
