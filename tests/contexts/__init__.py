"""Projects, whose they are, and where their sessions belong."""
