"""What does work at set times."""
