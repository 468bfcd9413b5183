"""What the hook client loads, too: reading of shell lines, and whether a call is one that a guard watches for."""
