"""Sessions, days and what is found again."""
