"""Text analysis: directives in messages, comparison of lessons, negation, tokens, Markdown and command lines."""
