"""The MCP server: tools with which agents search what was learnt, and suggest lessons."""
