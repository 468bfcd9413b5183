"""What is remembered of sessions for people: summaries and days."""
