"""Memory: what was typed, learned and noted down, found again; summaries and days for people."""
