"""The report of what was learnt."""
