"""A regular expression for letters of other scripts, compiled once a text may have one: large ranges take 2 ms each."""

from __future__ import annotations

import re
from typing import cast


class _LetterRanges:
    """Stands for a compiled pattern of one letter."""

    def __init__(self, ranges: str) -> None:
        self._ranges = ranges
        self._lowest = min(ranges.replace("-", ""))

    def search(self, text: str) -> re.Match[str] | None:
        return self._compile().search(text) if self._may_occur(text) else None

    def match(self, text: str) -> re.Match[str] | None:
        return self._compile().match(text) if self._may_occur(text) else None

    def findall(self, text: str) -> list[str]:
        return self._compile().findall(text) if self._may_occur(text) else []

    def _may_occur(self, text: str) -> bool:
        return not text.isascii() and max(text) >= self._lowest

    def _compile(self) -> re.Pattern[str]:
        """Compile the pattern, and use its methods from now on."""
        compiled = re.compile(f"[{self._ranges}]")
        self.__dict__.update(search=compiled.search, match=compiled.match, findall=compiled.findall)
        return compiled


def letter_ranges(ranges: str) -> re.Pattern[str]:
    """Return what behaves like `re.compile(f"[{ranges}]")`, for `search`, `match` and `findall` of one text.

    `ranges`: letters and ranges of letters, none of them ASCII.
    """
    return cast("re.Pattern[str]", _LetterRanges(ranges))
