"""What may be kept, whose voice it is, and what is harmless."""
