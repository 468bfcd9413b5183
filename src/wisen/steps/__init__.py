"""The steps of a turn of the loop, each from what is known to what is kept of it."""
