"""Who may decide."""
