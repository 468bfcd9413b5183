"""Finds which of many texts occur in another one: by comparison at first, by an automaton once it pays to build it."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from ahocorasick_rs import AhoCorasick, MatchKind

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD_LENGTH = 3
"""How many characters decide which patterns are compared."""
_LAST = "\U0010ffff"
"""Sorts behind every other character."""


class PatternSearch:
    """Patterns, prepared for searching: the leftmost are found, and the longest where several begin."""

    def __init__(self, patterns: Sequence[str]) -> None:
        """`patterns`: sorted; of equal ones the first is found."""
        self._patterns = patterns
        self._searched = 0
        self._automaton: AhoCorasick | None = None
        self._numbers: dict[str, int] = {}
        self._lengths: dict[str, tuple[int, ...]] = {}
        """The lengths of the patterns that begin with some characters, the longest first."""

    def find(self, text: str) -> list[tuple[int, int, int]]:
        """Return the number, start and end of each match. Raises: UnicodeEncodeError (half an emoji in the text)."""
        if self._automaton is None:
            self._searched += len(text)
            if self._searched * 2 <= len(self._patterns):  # comparing so much takes as long as building an automaton
                return self._compare(text)
            self._automaton = AhoCorasick(self._patterns, matchkind=MatchKind.LeftmostLongest)
            self._numbers, self._lengths = {}, {}
        return self._automaton.find_matches_as_indexes(text)

    def _compare(self, text: str) -> list[tuple[int, int, int]]:
        if not self._numbers:
            last = len(self._patterns) - 1
            self._numbers = {pattern: last - at for at, pattern in enumerate(reversed(self._patterns))}
        numbers, lengths_by_head, found, at = self._numbers, self._lengths, list[tuple[int, int, int]](), 0
        while at < len(text):
            head = text[at : at + _HEAD_LENGTH]
            lengths = lengths_by_head.get(head)
            if lengths is None:
                lengths = lengths_by_head[head] = self._lengths_of(head)
            for length in lengths:
                number = numbers.get(text[at : at + length])
                if number is not None:
                    end = min(at + length, len(text))
                    found.append((number, at, end))
                    at = end
                    break
            else:
                at += 1
        return found

    def _lengths_of(self, head: str) -> tuple[int, ...]:
        first, end = bisect_left(self._patterns, head), bisect_left(self._patterns, head + _LAST)
        lengths = {len(pattern) for pattern in self._patterns[first:end]}
        lengths |= {length for length in range(1, len(head)) if head[:length] in self._numbers}
        return tuple(sorted(lengths, reverse=True))
