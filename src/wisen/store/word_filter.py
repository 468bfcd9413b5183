"""A condition in SQL for texts that may contain certain words: it is never false for one that does.

SQLite compares bytes much faster than Python decodes rows, so that whole tables can be searched without an index.
Whether a text contains the words is decided by `safety/forgotten_phrases.py`, for the few texts that are left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

_WHITESPACE_ESCAPES = frozenset("nrtbf")
"""Escaped, these letters are whitespace."""
_NOT_ASCII = "length({text}) <> length(CAST({text} AS BLOB))"
_FOLDS = f"({_NOT_ASCII} AND wisen_folds({{text}}, {{dots}}))"
_ESCAPED_BY_STORE = "instr({text}, char(26))"
_FOLDED = lazy_regex(
    "[\xaa\xb2\xb3\xb9\xba\xbc-\xbe\xdf\u0130\u0132\u0133\u013f\u0140\u0149\u017f\u01c4-\u01cc\u01f1-\u01f3\u02b0\u02b2"
    "\u02b3\u02b7\u02b8\u02e1-\u02e3\u037e\u1d2c-\u1d65\u1d9c-\u1dbb\u1e9a-\u1e9e\u1fef\u203c-\u20a8\u2100-\u2189\u2460-\u24ea"
    "\u2a74-\u2a76\u2c7c\u2c7d\u3200-\u325f\u32b1-\u32cf\u3358-\u33ff\ua7f2-\ua7f4\ufb00-\ufb29\ufe10-\ufe6b\uff01-\uff5e"
    "\U000107a5\U0001d400-\U0001d6a3\U0001d7ce-\U0001d7ff\U0001f100-\U0001f190\U0001fbf0-\U0001fbf9]"
)
"""All characters that folding turns into ASCII, such as full-width letters, apart from those that become full stops."""
_FOLDED_TO_DOTS = lazy_regex("[\u2024-\u2026\ufe19\ufe30\ufe52\uff0e]")
_LONGEST_PATTERN = 1_000
"""SQLite rejects very long patterns; the beginning of a word finds it too."""
_MAX_WORDS = 8
"""More words find hardly fewer texts."""


def may_contain(db: SqliteDatabase, text: str, groups: Iterable[Sequence[str]], values: dict[str, Value]) -> str:
    """Return the condition that an SQL expression may contain all words of a group, and add its values.

    The names of values begin with `word`.
    """
    db.connection.create_function("wisen_folds", 2, _is_folded, deterministic=True)
    conditions = []
    letters = {letter for words in groups for word in words for letter in word}
    for words in groups:
        # Of ASCII letters LIKE ignores the case. A wildcard in the word only finds more.
        patterns = [f"%{word[:_LONGEST_PATTERN]}%" for word in words[:_MAX_WORDS] if word.isascii()]
        names = [f"word{len(values) + number}" for number in range(len(patterns))]
        values.update(zip(names, patterns, strict=True))
        if len(patterns) == len(words[:_MAX_WORDS]):
            conditions.append(" AND ".join(f"{text} LIKE :{name}" for name in names))
    if not all(map(str.isascii, letters)):
        conditions += [_NOT_ASCII.format(text=text), _ESCAPED_BY_STORE.format(text=text)]
    else:
        conditions.append(_FOLDS.format(text=text, dots=int("." in letters)))
    escaped = f"word{len(values)}"
    values[escaped] = _escaped_letters(letters)
    conditions.append(f"{text} GLOB :{escaped}")
    return f"({' OR '.join(conditions)})"


def _is_folded(text: str | None, dots: int) -> bool:
    """Whether folding a text adds ASCII letters to it, or full stops."""
    return text is not None and bool(_FOLDED.search(text) or (dots and _FOLDED_TO_DOTS.search(text)))


def _escaped_letters(letters: Iterable[str]) -> str:
    """Return the pattern of texts in which one of the letters may be written as an escape, such as a code in JSON."""
    cases = {case for letter in letters if letter.isascii() for case in (letter, letter.upper())}
    plain = sorted(case for case in cases if case.isalnum() and case not in _WHITESPACE_ESCAPES | {"u"})
    others = sorted(cases - set(plain) - _WHITESPACE_ESCAPES - set("]^-u"))
    # In a set of GLOB these three mean something else in any other place.
    first, last = "]" * ("]" in cases), "^" * ("^" in cases) + "-" * ("-" in cases)
    return f"*\\[{first}u{''.join(plain)}{''.join(others)}{last}]*"
