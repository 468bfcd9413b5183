"""Records: what programs report through the API, and what is learned from it."""
