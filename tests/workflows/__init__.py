"""What follows what in recorded sessions."""
