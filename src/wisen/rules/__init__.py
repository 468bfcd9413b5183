"""Rules: the lines in instruction files, the context files below the home, and which file a rule goes to."""
