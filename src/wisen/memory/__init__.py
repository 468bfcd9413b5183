"""What is remembered of sessions for people: days and summaries."""
