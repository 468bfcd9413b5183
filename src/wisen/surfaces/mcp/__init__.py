"""The MCP server: tools with which agents search what was learned, and suggest lessons."""
