"""The command line, the hook client, MCP and pages, as whoever is in front of them meets them."""
