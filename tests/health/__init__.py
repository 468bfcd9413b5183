"""What is told when something is broken."""
