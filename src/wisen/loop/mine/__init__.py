"""Stage: from events to what keeps failing, what fixed it, what repeats."""
