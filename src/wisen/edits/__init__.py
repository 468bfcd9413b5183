"""The only way to change files of people: plans, deeds, undo, and the formats of settings files."""
