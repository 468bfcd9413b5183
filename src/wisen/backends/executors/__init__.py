"""Who does large work side by side."""
