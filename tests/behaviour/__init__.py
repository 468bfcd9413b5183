"""Records what the program does, so that two versions can be compared byte for byte. Imports nothing of the package."""
