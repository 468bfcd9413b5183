"""Health: checks that learning runs and that hooks fire and get answers; repairs."""
