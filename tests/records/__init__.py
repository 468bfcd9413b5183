"""What a program records of its own work."""
