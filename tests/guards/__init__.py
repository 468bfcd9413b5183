"""Guards: when they are proposed, how they did on the past, and what they do before a call."""
