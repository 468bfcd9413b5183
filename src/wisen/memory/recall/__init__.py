"""Finds memories again by their words."""
