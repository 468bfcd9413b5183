"""Words by which a user says outright that they want something more, or found a better way; English only."""

from __future__ import annotations

import re

_ALSO = re.compile(
    r"(?:^|[.!?]\s+)\W*(?:(?:and|oh|ok|okay|please|so|hey)[\s,]+)*(?:can|could) (?:you|we) also\b"
    r"(?! (?:please |just |quickly )*"
    r"(?:double.?check|check|review|verify|look|explain|tell|confirm|compare|run|re-?run)\b)",
    re.IGNORECASE,
)
"""Something more; to look at something more is a piece of work."""
_BETTER = re.compile(
    r"\b(?:found|there(?:'s| is)|discovered|know) an? (?:much )?(?:quicker|faster|better|cleaner|simpler|easier) "
    r"(?:way|approach|pattern|method|solution)\b",
    re.IGNORECASE,
)
_WAYS = ("er way", "er approach", "er pattern", "er method", "er solution")
"""One of them stands in whatever that matches: looked for first, as that is faster."""


def is_request(text: str) -> bool:
    """Whether a text asks for something beside what was asked for: "can you also …"."""
    return "also" in text and _ALSO.search(text) is not None


def is_improvement(text: str) -> bool:
    """Whether a text tells of a better way: "found a quicker way"."""
    low = text.lower()
    return any(way in low for way in _WAYS) and _BETTER.search(text.replace("’", "'")) is not None
