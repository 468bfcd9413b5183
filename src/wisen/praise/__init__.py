"""Praise: reinforces what was delivered before the user praised the work."""
