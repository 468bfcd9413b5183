"""Whether words that were said once tell what to do: a remark about the work at hand is no use to a later session."""

from __future__ import annotations

import re

_ORDERS = re.compile(
    r"(?:please )?(?:use|using|do|don't|never|always|prefer|avoid|keep|stop|run|write|put|make|call|name|only|no|stick"
    r"|leave|separate|split|skip|ask|wait|answer|explain|respond|format|add|include|exclude|ignore|test)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:instead of|rather than|always|never|from now on)\b", re.IGNORECASE)
_ASIDE = re.compile(r"^(?:can you|could you)\b|,\s*can you\b", re.IGNORECASE)


def is_order(text: str) -> bool:
    """Whether a lesson begins with what to do, or chooses one thing over another."""
    return bool(_ORDERS.match(text) or _CHOICE.search(text)) and not _ASIDE.search(text)
