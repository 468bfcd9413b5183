"""Health: whether the loop runs, agents call us and get answers, and repairs."""
