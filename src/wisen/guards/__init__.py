"""Guards: tool calls to watch for, backtested on recorded sessions and counted live."""
