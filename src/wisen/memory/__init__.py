"""What is remembered beyond rules: found again, and put down for people."""
