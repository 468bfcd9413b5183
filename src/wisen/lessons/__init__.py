"""Lessons: entries made of what was said and what failed, and which of them stand."""
