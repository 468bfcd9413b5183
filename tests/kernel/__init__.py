"""What the hook client loads: shell lines, and whether calls fit what guards watch for."""
