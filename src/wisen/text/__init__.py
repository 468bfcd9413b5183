"""Text as people and shells write it: sameness, negation, orders, terms, tokens, Markdown, command lines."""
