"""Finding and reading agents' logs: what is new, what may be kept, and which context it belongs to."""
