"""Changes: what was decided and done to people's files, and how to undo it."""
