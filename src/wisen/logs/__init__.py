"""Finds and reads agents' logs: what is new, what may be stored, and which context it belongs to."""
