"""Estimates an upper bound of the tokens of a text, for budgets: the agents' tokenizers are not available here."""

from __future__ import annotations

_BYTES_PER_TOKEN = 3
"""English has about four bytes per token; other scripts and code have fewer."""


def estimate_tokens(text: str) -> int:
    """Return an estimate that is rather too high than too low."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)
