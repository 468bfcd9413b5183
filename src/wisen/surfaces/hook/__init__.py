"""The hook client: what agents run inside their turns. It needs nothing but the standard library."""
