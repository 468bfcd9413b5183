"""What is remembered beyond rules: found again by its words."""
