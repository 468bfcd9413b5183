"""How many tokens a text has at most, for budgets: no agent's own count is known here."""

from __future__ import annotations

_BYTES = 3
"""English has about four in a token; other scripts and code have fewer."""


def estimate_tokens(text: str) -> int:
    """Rather too many than too few."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES)
