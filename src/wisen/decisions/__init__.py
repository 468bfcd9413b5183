"""Who decides, and what belongs to one decision."""
