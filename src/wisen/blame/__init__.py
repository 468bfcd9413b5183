"""Blame: what the lines of instruction files seem to do."""
