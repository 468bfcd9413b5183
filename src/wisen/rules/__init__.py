"""Rules: the lines in files, the books below the home, and where an approved rule goes."""
