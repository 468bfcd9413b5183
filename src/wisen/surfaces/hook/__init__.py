"""The hook client: what agents run inside their turns; standard library only, except to recall earlier sessions."""
