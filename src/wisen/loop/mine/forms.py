"""The complaints as plain data, for a reader that has neither this package nor the time to compile them all.

Each form comes with words of which at least one stands in every text that it fits, so that most can be passed over.
"""

from __future__ import annotations

import re
from re import _constants as sre  # type: ignore[attr-defined]  # what a pattern is made of has no public name
from re import _parser as sre_parser  # type: ignore[attr-defined]  # as above
from typing import TYPE_CHECKING, Any

from wisen.loop.mine.complaints import CHECKS, COMPLAINTS, TOOL_COMPLAINTS
from wisen.loop.mine.signatures import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.loop.mine.complaints import Complaint, Form


def complaints() -> dict[str, object]:
    """Everything by which a failure gets its key."""
    checks = [
        {
            "key": each.key,
            "who": each.who,
            "form": _form(each.form),
            "hints": list(each.hints),
            "unless": _form(each.unless) if each.unless else None,
        }
        for each in CHECKS
    ]
    return {"version": VERSION, "checks": checks, "complaints": _told(COMPLAINTS), "tools": _told(TOOL_COMPLAINTS)}


def near() -> dict[str, tuple[str, ...]]:
    """By key, words in small letters of which one stands in every failure that has it; none where it is not known."""
    found: dict[str, set[str]] = {}
    for check in CHECKS:
        found.setdefault(check.key, set()).update(check.hints)
    for each in (*COMPLAINTS, *TOOL_COMPLAINTS):
        found.setdefault(each.key, set()).update(words_of(each.form.text))
    return {key: tuple(sorted({word.casefold() for word in words})) for key, words in sorted(found.items())}


def _told(known: Iterable[Complaint]) -> list[dict[str, object]]:
    return [{"key": each.key, "who": each.who, "says": each.says, "form": _form(each.form)} for each in known]


def _form(form: Form) -> list[object]:
    ignores = bool(form.flags & re.IGNORECASE)
    words = words_of(form.text)
    return [form.text, int(ignores), sorted({word.casefold() for word in words} if ignores else words)]


def words_of(pattern: str) -> frozenset[str]:
    """Words of which at least one stands in every text that a pattern fits; none where that cannot be told."""
    return _needed(sre_parser.parse(pattern, re.MULTILINE)) or frozenset()


def _needed(tree: Any) -> frozenset[str] | None:
    """Of everything that must stand there, the words that are longest where they are shortest."""
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in tree:
        if kind is sre.LITERAL:
            run += chr(value)
            continue
        if run:
            found.append(frozenset({run}))
            run = ""
        needed = _needed_of(kind, value)
        if needed:
            found.append(needed)
    if run:
        found.append(frozenset({run}))
    return max(found, key=lambda words: min(map(len, words)), default=None)


def _needed_of(kind: Any, value: Any) -> frozenset[str] | None:
    if kind is sre.SUBPATTERN:
        return None if value[1] & re.IGNORECASE else _needed(value[3])
    if kind is sre.BRANCH:
        branches = [_needed(each) for each in value[1]]
        return None if None in branches else frozenset(word for each in branches if each for word in each)
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT) and value[0] >= 1:
        return _needed(value[2])
    return None
