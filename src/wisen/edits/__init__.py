"""Edits users' files: plans, edit operations, undo, and the formats of settings files. Nothing else writes to them."""
