"""What a session taught: failures with their signatures, the changes that made calls work, goals."""
