"""Computes the words that a pattern can begin with, so that most patterns need not be tried at most words.

Those of the shipped patterns are stored in `heads.json`, because computing them takes longer than reading a message.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

HEAD_LENGTH = 4
"""Number of leading letters of a word that are compared."""
_MAX_HEADS = 300
"""A pattern with more possible heads than this is tried everywhere."""


class _AnyWordError(Exception):
    """The pattern may begin with any word."""


def heads_of(pattern: str) -> frozenset[str] | None:
    """Return the first letters of the words that a pattern may begin with; None if it may be any word."""
    stored = _stored_heads().get(pattern)
    return compute_heads(pattern) if stored is None else frozenset(stored.split("|")) if stored else None


@cache
def _stored_heads() -> dict[str, str]:
    """The heads of the shipped patterns, joined; empty for a pattern that may begin with any word."""
    file = resources.files(__package__).joinpath("heads.json")
    return msgspec.json.decode(file.read_bytes(), type=dict[str, str])


def compute_heads(pattern: str) -> frozenset[str] | None:
    """The same for any pattern."""
    try:
        reader = _HeadReader(pattern)
        return frozenset(reader.read())
    except _AnyWordError:
        return None


def head_of(word: str) -> str:
    """Return the letters by which a word is looked up."""
    return word[:HEAD_LENGTH]


def literal_in(pattern: str) -> str:
    """Return the longest literal text that is part of every match of a pattern; empty if there is none."""
    runs, position = [""], 0
    while position < len(pattern):
        character = pattern[position]
        if character == "|":
            return ""
        if character in "([":
            position = _end_of_group(pattern, position)
            runs.append("")
            continue
        if character in "?*{":
            runs[-1] = runs[-1][:-1]  # the character before it is optional
            position = pattern.index("}", position) if character == "{" else position
        if character.isalnum() or character == " ":
            runs[-1] += character
        else:
            runs.append("")
        position += 2 if character == "\\" else 1
    return max(runs, key=len)


def _end_of_group(pattern: str, position: int) -> int:
    """Return the end of the group or character class that begins at a position."""
    depth, in_class = 0, False
    while True:
        character = pattern[position]
        if in_class:
            in_class = character != "]"
        else:
            in_class = character == "["
            depth += {"(": 1, ")": -1}.get(character, 0)
        position += 2 if character == "\\" else 1
        if not depth and not in_class:
            return position


class _HeadReader:
    """Walks a pattern of literals, groups, character classes, lookarounds and quantifiers."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._done: set[str] = set()

    def read(self) -> set[str]:
        unfinished = self._alternatives({""})
        self._done |= {head for head in unfinished if head}
        if "" in unfinished or not self._done:
            raise _AnyWordError
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
            next_heads = self._item(heads)
            quantifier = self._repetition()
            if quantifier is not None:
                next_heads = self._repeat(start, heads, next_heads, quantifier)
            heads = next_heads
            if len(heads) + len(self._done) > _MAX_HEADS:
                raise _AnyWordError
        return heads

    def _repeat(self, start: int, heads: set[str], after_one: set[str], quantifier: str) -> set[str]:
        """Return the heads after a repeated item, including those without it if it is optional."""
        if quantifier in "*+{" and after_one - {""}:
            end, self._at = self._at, start
            after_two = self._item(after_one)
            self._at = end
            after_one = after_one | after_two
        return after_one | heads if quantifier in "?*0" else after_one

    def _item(self, heads: set[str]) -> set[str]:
        character = self._pattern[self._at]
        if character == "(":
            return self._group(heads)
        if character == "[":
            return self._class(heads)
        self._at += 1
        if character == "\\":
            return self._escaped(heads)
        return (
            self._anything(heads)
            if character == "~"
            else self._literal(heads, " " if character in ".^$" else character)
        )

    def _escaped(self, heads: set[str]) -> set[str]:
        character = self._pattern[self._at]
        self._at += 1
        if character in "bB":
            return heads
        return (
            self._anything(heads)
            if character in "wSD"
            else self._literal(heads, " " if character in "sWd" else character)
        )

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
            character = self._pattern[self._at]
            depth += {"(": 1, ")": -1}.get(character, 0)
            self._at += 2 if character == "\\" else 1
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
        """Return the quantifier of the previous item: its character, or "0" or "{" for a counted one."""
        if self._at >= len(self._pattern) or self._pattern[self._at] not in "?*+{":
            return None
        character = self._pattern[self._at]
        if character == "{":
            character = "0" if self._pattern[self._at + 1] == "0" else "{"
            self._at = self._pattern.index("}", self._at)
        self._at += 1
        if self._at < len(self._pattern) and self._pattern[self._at] == "?":
            self._at += 1
        return character

    def _literal(self, heads: set[str], letter: str) -> set[str]:
        if letter.isalnum() or letter == "_" or "\u0900" <= letter <= "\u097f":
            extended = {head + letter for head in heads}
            self._done |= {head for head in extended if len(head) >= HEAD_LENGTH}
            return {head for head in extended if len(head) < HEAD_LENGTH}
        if letter == "'" and heads != {""}:
            # an apostrophe may be missing: both spellings count
            self._done |= {head for head in heads if head}
            return heads
        self._done |= {head for head in heads if head}
        return heads & {""}

    def _anything(self, heads: set[str]) -> set[str]:
        if heads:
            raise _AnyWordError
        return heads
