"""Lessons: entries recorded from what was said and what failed, and which of them are in force."""
