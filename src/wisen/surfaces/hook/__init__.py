"""The hook client: what agents run inside their turns, with the standard library alone but for what it recalls."""
