"""Hooks in agents' settings, put in and taken out."""
