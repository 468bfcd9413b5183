"""Workflows: what sessions repeat for a goal, and which tool comes next."""
