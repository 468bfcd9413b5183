"""Finds the lines of a Markdown page that are not rendered as text: code fences, and comments that start a line.

Comments nest here: a person who comments out lines that contain our comments puts one around them.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_FENCE = lazy_regex(r" {0,3}(`{3,}|~{3,})(.*)\Z", re.DOTALL)


class HiddenSpans:
    """Tells for each line whether a hidden span starts there. What is never closed hides nothing."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._fences = [_FENCE.match(line) for line in lines]
        self._closing = ["" if fence is None or fence[2].strip() else fence[1] for fence in self._fences]
        opened = (line.count("<!--") - line.count("-->") for line in lines)
        self._depth = list(accumulate(opened, initial=0))
        # The best value still to come, so that an unclosed span is known without a search.
        self._lowest = _from_the_end(self._depth[1:], min)
        self._longest = {char: self._lengths(char) for char in "`~"}

    def end_of_span(self, number: int) -> int:
        """Return the line after the span's end; the same number if none starts here."""
        line, fence = self._lines[number], self._fences[number]
        if fence is not None:
            if self._longest[fence[1][0]][number + 1] < len(fence[1]):
                return number
            later = range(number + 1, len(self._lines))
            return next(at + 1 for at in later if self._closing[at].startswith(fence[1]))
        if not line.lstrip().startswith("<!--"):
            return number
        if self._lowest[number] > self._depth[number]:
            return number + ("-->" in line)
        later = range(number + 1, len(self._depth))
        return next(at for at in later if self._depth[at] <= self._depth[number])

    def _lengths(self, char: str) -> list[int]:
        return _from_the_end([*(len(mark) if mark[:1] == char else 0 for mark in self._closing), 0], max)


def _from_the_end(values: list[int], better: Callable[[int, int], int]) -> list[int]:
    """Return the best value from each position on."""
    return list(accumulate(reversed(values), better))[::-1]
