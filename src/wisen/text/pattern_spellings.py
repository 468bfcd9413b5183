"""Lists the texts that matches of a pattern begin with: comparing them rules out most patterns without compiling them.

A pattern that matches only a few texts needs no compiling at all.
"""

from __future__ import annotations

from typing import NamedTuple

_MAX_SPELLINGS = 24
"""Where a pattern has more spellings than this, only its first part is listed."""


class Spellings(NamedTuple):
    """What matches of a pattern begin with."""

    beginnings: tuple[str, ...]
    """In the order in which the pattern tries them."""
    is_complete: bool
    """Whether the pattern matches just these texts."""


class _NotListableError(Exception):
    """The texts that a part of a pattern matches cannot be listed."""


def spellings_of(pattern: str) -> Spellings:
    """Return what matches of a pattern begin with. An apostrophe is optional, as everywhere in the word lists."""
    reader = _SpellingReader(pattern)
    try:
        return Spellings(tuple(dict.fromkeys(reader.alternatives())), is_complete=True)
    except _NotListableError:
        beginnings = reader.beginnings()
        return Spellings(tuple(dict.fromkeys(beginnings)), is_complete=False)


class _SpellingReader:
    """Walks a pattern of literals, groups, simple character classes and optional items."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def beginnings(self) -> list[str]:
        """Return what is listable at the front of a pattern; only an empty text if it has several alternatives."""
        self._at = 0
        spellings = [""]
        try:
            while self._at < len(self._pattern):
                spellings = self._extend(spellings)
        except _NotListableError:
            pass
        return [""] if _has_alternatives(self._pattern) else spellings

    def alternatives(self) -> list[str]:
        """Return everything that a pattern, or the group at this position, matches."""
        found: list[str] = []
        while True:
            spellings = [""]
            while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
                spellings = self._extend(spellings)
            found += spellings
            if not self._skip("|"):
                return found

    def _extend(self, spellings: list[str]) -> list[str]:
        """Append the next item to each of the spellings."""
        item = self._item()
        if self._skip("?"):
            item.append("")
        if self._pattern[self._at : self._at + 1] in ("?", "*", "+", "{"):
            raise _NotListableError
        if len(spellings) * len(item) > _MAX_SPELLINGS:
            raise _NotListableError
        return [spelling + each for spelling in spellings for each in item]

    def _item(self) -> list[str]:
        character = self._pattern[self._at]
        self._at += 1
        if character.isalnum() or character == " ":
            return [character]
        if character == "'":
            return ["'", ""]
        if character == "[":
            return self._class()
        if character == "(" and (self._skip("?:") or not self._pattern.startswith("?", self._at)):
            found = self.alternatives()
            if self._skip(")"):
                return found
        raise _NotListableError

    def _class(self) -> list[str]:
        end = self._pattern.find("]", self._at)
        letters = self._pattern[self._at : end]
        if end < 0 or not letters.isalnum():
            raise _NotListableError
        self._at = end + 1
        return list(letters)

    def _skip(self, text: str) -> bool:
        is_next = self._pattern.startswith(text, self._at)
        self._at += len(text) if is_next else 0
        return is_next


def _has_alternatives(pattern: str) -> bool:
    """Whether a pattern may have several alternatives that are not inside a group."""
    depth = 0
    for at, character in enumerate(pattern):
        if character == "|" and not depth:
            return True
        if not pattern.startswith("\\", at - 1) or not at:
            depth += {"(": 1, ")": -1}.get(character, 0)
    return False
