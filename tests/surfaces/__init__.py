"""Tests of the command line, the hook client, MCP and HTML pages."""
