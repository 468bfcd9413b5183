"""Clocks, git, processes and locks."""
