"""Changes: what was decided and done to files of people, and how it is taken back."""
