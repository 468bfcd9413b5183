"""Changes: what was done to files, and how it is taken back."""
