"""The one door to files of people: plans, deeds, undo, and the formats of settings files."""
