"""Detects explicit extra requests ("can you also") and better ways ("found a quicker way"); English only."""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_EXTRA_REQUEST = lazy_regex(
    r"(?:^|[.!?]\s+)\W*(?:(?:and|oh|ok|okay|please|so|hey)[\s,]+)*(?:can|could) (?:you|we) also\b"
    r"(?! (?:please |just |quickly )*"
    r"(?:double.?check|check|review|verify|look|explain|tell|confirm|compare|run|re-?run)\b)",
    re.IGNORECASE,
)
"""A request for something more; a request to look at something more is a task."""
_BETTER_WAY = lazy_regex(
    r"\b(?:found|there(?:'s| is)|discovered|know) an? (?:much )?(?:quicker|faster|better|cleaner|simpler|easier) "
    r"(?:way|approach|pattern|method|solution)\b",
    re.IGNORECASE,
)
_BETTER_WAY_HINTS = ("er way", "er approach", "er pattern", "er method", "er solution")
"""Every match contains one of these: looked for first, because that is faster."""


def is_request(text: str) -> bool:
    """Whether a text asks for something in addition: "can you also …"."""
    return "also" in text and _EXTRA_REQUEST.search(text) is not None


def is_improvement(text: str) -> bool:
    """Whether a text reports a better way: "found a quicker way"."""
    lowered = text.lower()
    return any(hint in lowered for hint in _BETTER_WAY_HINTS) and _BETTER_WAY.search(text.replace("’", "'")) is not None
