"""A condition in SQL for texts that may contain a word: it is never false for one that does.

SQLite compares bytes much faster than Python decodes rows, so that whole tables can be searched without an index.
Whether a text contains the words is decided by `safety/forgotten_phrases.py`, for the few texts that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.database_port import Value

_WHITESPACE_ESCAPES = frozenset("nrtbf")
"""Escaped, these letters are whitespace."""
_UNUSUAL = "length({text}) <> length(CAST({text} AS BLOB)) OR instr({text}, char(26))"
"""Not only ASCII, or escaped by the store: another form of a letter may be folded to it."""

_LONGEST_PATTERN = 1_000
"""SQLite rejects very long patterns; the beginning of a word finds it too."""


def may_contain(text: str, words: Iterable[str], values: dict[str, Value]) -> str:
    """Return the condition on an SQL expression, and add its values; the names of values begin with `word`."""
    conditions = [_UNUSUAL.format(text=text)]
    letters: set[str] = set()
    for word in words:
        letters.update(word)
        if word.isascii():
            # Of ASCII letters LIKE ignores the case. A wildcard in the word only finds more.
            name = f"word{len(values)}"
            values[name] = f"%{word[:_LONGEST_PATTERN]}%"
            conditions.append(f"{text} LIKE :{name}")
    escaped = f"word{len(values)}"
    values[escaped] = _escaped_letters(letters)
    conditions.append(f"{text} GLOB :{escaped}")
    return f"({' OR '.join(conditions)})"


def _escaped_letters(letters: Iterable[str]) -> str:
    """Return the pattern of texts in which one of the letters may be written as an escape, such as a code in JSON."""
    simple = [letter for letter in letters if letter.isascii()]
    if not all(map(str.isalnum, simple)):
        return "*\\*"
    cases = {case for letter in simple for case in (letter, letter.upper())} - _WHITESPACE_ESCAPES
    return f"*\\[{''.join(sorted(cases | {'u'}))}]*"
