"""Finding and reading the logs of agents, and which project they belong to."""
