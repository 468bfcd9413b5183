"""Memory: what was typed, learnt and noted down, found again; summaries and days for people."""
