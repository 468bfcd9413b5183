"""Knows which sessions can hold a command line with certain words, without reading them: a filter of bits per session.

A filter has a bit for each word of the session's command lines, chosen by a checksum. It may say yes for a session
that does not hold the words, and never says no for one that does.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from zlib import crc32

from wisen.model.report import Selection
from wisen.store.folds import Fold
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.model.history import History
    from wisen.store.index import Index

_NAME = "command-words"
_WORD = re.compile(r"\w+")
_JOINED = re.compile(r"\w[\"'\\]+\w")
"""Quotes inside a word: the shell reads the words around them as one."""
_BITS_PER_WORD = 8
_MIN_BITS = 64


class CommandWords:
    """The filters of all sessions, brought up to date when they are loaded."""

    def __init__(self, index: Index, version: str) -> None:
        """Load the filters; those of sessions that changed are computed again. `version`: of the program."""
        folds = index.folds
        revision, stored = folds.revision(), folds.load(_NAME, version)
        filters = None if stored is None else _decode(stored.value)
        if stored is None or filters is None:
            filters, selection = {}, Selection()
        elif stored.revision == revision:
            self._filters = filters
            return
        else:
            changed = folds.changed_sessions(stored.revision)
            filters = {session: bits for session, bits in filters.items() if session not in changed}
            selection = Selection(sessions=changed)
        for history in index.events.histories(selection):
            if words := _words_of(history):
                filters[history.session] = _filter(words)
        value = json.dumps({str(session): bits for session, bits in filters.items()}, separators=(",", ":"))
        folds.save(_NAME, version, Fold(revision, value))
        self._filters = filters

    def sessions_with(self, words: Collection[str]) -> list[int]:
        """Return the sessions that may have a command line with all these words, and perhaps some others."""
        sums, masks, found = [_checksum(word) for word in words], dict[int, int](), list[int]()
        for session, bits in self._filters.items():
            size = 4 * len(bits)
            if size not in masks:
                masks[size] = _mask(sums, size)
            if int(bits, 16) & masks[size] == masks[size]:
                found.append(session)
        return found


def words_in(line: str) -> set[str]:
    """Return the words of a command line, without punctuation; also those that the shell joins."""
    found = set(_WORD.findall(line))
    if _JOINED.search(line):
        found.update(word for token in parse_command(line).tokens for word in _WORD.findall(token))
    return found


def _words_of(history: History) -> set[str]:
    lines = {line for step in history.steps if (line := command_of(fields_of(step.arguments))) is not None}
    return set[str]().union(*map(words_in, lines))


def _filter(words: Collection[str]) -> str:
    """Return the bits of a session as hexadecimal digits; their number is a power of two."""
    size = max(_MIN_BITS, 1 << (_BITS_PER_WORD * len(words) - 1).bit_length())
    return f"{_mask(map(_checksum, words), size):0{size // 4}x}"


def _mask(sums: Iterable[int], size: int) -> int:
    bits = bytearray(size // 8)
    for each in sums:
        position = each & (size - 1)
        bits[position >> 3] |= 1 << (position & 7)
    return int.from_bytes(bits, "little")


def _checksum(word: str) -> int:
    return crc32(word.encode("utf-8", "surrogatepass"))


def _decode(value: str) -> dict[int, str] | None:
    """Return the stored filters; None if they cannot be read."""
    try:
        decoded = {int(session): bits for session, bits in json.loads(value).items()}
        return decoded if all(int(bits, 16) >= 0 for bits in decoded.values()) else None
    except (ValueError, TypeError, AttributeError):
        return None
