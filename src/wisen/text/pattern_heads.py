"""The words that a pattern may begin with, so that most patterns need not be tried at most words."""

from __future__ import annotations

HEAD = 4
"""So many letters of a word are looked at."""
_MOST = 300
"""A pattern that may begin in more ways is tried everywhere."""


class _Unknown(Exception):
    """A pattern may begin with any word."""


def heads_of(pattern: str) -> frozenset[str] | None:
    """The first letters of the words that a pattern may begin with; None where it may be any word."""
    try:
        reader = _HeadReader(pattern)
        return frozenset(reader.read())
    except _Unknown:
        return None


def head_of(word: str) -> str:
    """The letters by which a word is looked up."""
    return word[:HEAD]


def literal_in(pattern: str) -> str:
    """The longest run of letters and blanks that stands in whatever a pattern matches; empty where none is sure to."""
    runs, at = [""], 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "|":
            return ""
        if sign in "([":
            at = _end_of_group(pattern, at)
            runs.append("")
            continue
        if sign in "?*{":
            runs[-1] = runs[-1][:-1]  # what stands before it may be missing
            at = pattern.index("}", at) if sign == "{" else at
        if sign.isalnum() or sign == " ":
            runs[-1] += sign
        else:
            runs.append("")
        at += 2 if sign == "\\" else 1
    return max(runs, key=len)


def _end_of_group(pattern: str, at: int) -> int:
    """Where a group or a class ends that begins at a place."""
    depth, in_class = 0, False
    while True:
        sign = pattern[at]
        if in_class:
            in_class = sign != "]"
        else:
            in_class = sign == "["
            depth += {"(": 1, ")": -1}.get(sign, 0)
        at += 2 if sign == "\\" else 1
        if not depth and not in_class:
            return at


class _HeadReader:
    """Walks through a pattern of literals, groups, classes, looks ahead and repetitions."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._done: set[str] = set()

    def read(self) -> set[str]:
        rest = self._alternatives({""})
        self._done |= {head for head in rest if head}
        if "" in rest or not self._done:
            raise _Unknown
        return self._done

    def _alternatives(self, heads: set[str]) -> set[str]:
        found: set[str] = set()
        while True:
            found |= self._sequence(set(heads))
            if self._at >= len(self._pattern) or self._pattern[self._at] == ")":
                return found
            self._at += 1

    def _sequence(self, heads: set[str]) -> set[str]:
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            start = self._at
            then = self._item(heads)
            repeated = self._repetition()
            if repeated is not None:
                then = self._repeat(start, heads, then, repeated)
            heads = then
            if len(heads) + len(self._done) > _MOST:
                raise _Unknown
        return heads

    def _repeat(self, start: int, heads: set[str], once: set[str], least: str) -> set[str]:
        """What a repeated item leads to; nothing, where it may be missing."""
        if least in "*+{" and once - {""}:
            end, self._at = self._at, start
            again = self._item(once)
            self._at = end
            once = once | again
        return once | heads if least in "?*0" else once

    def _item(self, heads: set[str]) -> set[str]:
        sign = self._pattern[self._at]
        if sign == "(":
            return self._group(heads)
        if sign == "[":
            return self._class(heads)
        self._at += 1
        if sign == "\\":
            return self._escaped(heads)
        return self._anything(heads) if sign == "~" else self._literal(heads, " " if sign in ".^$" else sign)

    def _escaped(self, heads: set[str]) -> set[str]:
        sign = self._pattern[self._at]
        self._at += 1
        if sign in "bB":
            return heads
        return self._anything(heads) if sign in "wSD" else self._literal(heads, " " if sign in "sWd" else sign)

    def _group(self, heads: set[str]) -> set[str]:
        if self._pattern.startswith(("(?!", "(?=", "(?<"), self._at):
            self._skip_group()
            return heads
        self._at += 3 if self._pattern.startswith("(?:", self._at) else 1
        found = self._alternatives(heads)
        self._at += 1
        return found

    def _skip_group(self) -> None:
        depth = 0
        while True:
            sign = self._pattern[self._at]
            depth += {"(": 1, ")": -1}.get(sign, 0)
            self._at += 2 if sign == "\\" else 1
            if not depth:
                return

    def _class(self, heads: set[str]) -> set[str]:
        end = self._pattern.index("]", self._at + 2)
        letters = self._pattern[self._at + 1 : end]
        self._at = end + 1
        if letters.startswith("^") or "-" in letters or "\\" in letters:
            return self._anything(heads)
        return set().union(*(self._literal(heads, letter) for letter in letters))

    def _repetition(self) -> str | None:
        """How often the item before may come: the sign, or "0" and "{" for a number."""
        if self._at >= len(self._pattern) or self._pattern[self._at] not in "?*+{":
            return None
        sign = self._pattern[self._at]
        if sign == "{":
            sign = "0" if self._pattern[self._at + 1] == "0" else "{"
            self._at = self._pattern.index("}", self._at)
        self._at += 1
        if self._at < len(self._pattern) and self._pattern[self._at] == "?":
            self._at += 1
        return sign

    def _literal(self, heads: set[str], letter: str) -> set[str]:
        if letter.isalnum() or letter == "_" or "\u0900" <= letter <= "\u097f":
            grown = {head + letter for head in heads}
            self._done |= {head for head in grown if len(head) >= HEAD}
            return {head for head in grown if len(head) < HEAD}
        if letter == "'" and heads != {""}:
            # an apostrophe may be missing: both words are known
            self._done |= {head for head in heads if head}
            return heads
        self._done |= {head for head in heads if head}
        return heads & {""}

    def _anything(self, heads: set[str]) -> set[str]:
        if heads:
            raise _Unknown
        return heads
