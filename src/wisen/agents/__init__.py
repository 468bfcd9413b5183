"""One folder an agent: how its sessions are found and read."""
