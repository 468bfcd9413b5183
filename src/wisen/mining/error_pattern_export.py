"""Exports the error patterns as plain data for the hook client, which has no time to compile all of them.

Each pattern comes with sets of words: all words of one set are in every matching text, so most patterns are skipped.
"""

from __future__ import annotations

import re
from functools import cache
from re import _constants as sre  # type: ignore[attr-defined]  # what a pattern is made of has no public name
from re import _parser as sre_parser  # type: ignore[attr-defined]  # as above
from typing import TYPE_CHECKING, Any

from wisen.mining.error_patterns import CHECKS, ERROR_PATTERNS, TOOL_ERROR_PATTERNS
from wisen.mining.miner_version import SIGNATURE_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.mining.error_patterns import ErrorPattern, LinePattern

_MAX_SETS = 40
"""More sets cost more to check than the pattern does."""


@cache
def export_patterns() -> dict[str, object]:
    """Everything by which a failure gets its key."""
    checks = [
        {
            "key": each.key,
            "who": each.who,
            "form": _export_pattern(each.form),
            "hints": list(each.hints),
            "unless": _export_pattern(each.unless) if each.unless else None,
        }
        for each in CHECKS
    ]
    return {
        "version": SIGNATURE_VERSION,
        "checks": checks,
        "complaints": _export_all(ERROR_PATTERNS),
        "tools": _export_all(TOOL_ERROR_PATTERNS),
    }


@cache
def words_by_key() -> dict[str, tuple[str, ...]]:
    """By key, lowercase words of which one is in every failure with that key; none where it is unknown."""
    found: dict[str, set[str]] = {}
    for check in CHECKS:
        found.setdefault(check.key, set()).update(check.hints)
    for each in (*ERROR_PATTERNS, *TOOL_ERROR_PATTERNS):
        found.setdefault(each.key, set()).update(max(words, key=len) for words in required_words(each.form.text))
    return {key: tuple(sorted({word.casefold() for word in words})) for key, words in sorted(found.items())}


def _export_all(known: Iterable[ErrorPattern]) -> list[dict[str, object]]:
    return [{"key": each.key, "who": each.who, "says": each.says, "form": _export_pattern(each.form)} for each in known]


def _export_pattern(form: LinePattern) -> list[object]:
    ignores = bool(form.flags & re.IGNORECASE)
    sets = required_words(form.text)
    return [form.text, int(ignores), [[word.casefold() if ignores else word for word in each] for each in sets]]


def required_words(pattern: str) -> list[list[str]]:
    """Sets of words: all words of one set are in every text that matches a pattern. Empty where that is unknown."""
    sets = _required(sre_parser.parse(pattern, re.MULTILINE))
    return [sorted(each) for each in sorted(sets, key=sorted)] if all(sets) else []


def _required(tree: Any) -> set[frozenset[str]]:
    """What a match must contain: all words of one of the sets. An empty set says nothing."""
    sets: set[frozenset[str]] = {frozenset()}
    run = ""
    for kind, value in [*tree, (None, None)]:
        if kind is sre.LITERAL:
            run += chr(value)
            continue
        if run:
            sets = {each | {run} for each in sets}
            run = ""
        new = _required_by_node(kind, value)
        if all(new) and len(new) * len(sets) <= _MAX_SETS:
            sets = {one | two for one in sets for two in new}
    return sets


def _required_by_node(kind: Any, value: Any) -> set[frozenset[str]]:
    if kind is sre.SUBPATTERN and not value[1] & re.IGNORECASE:
        return _required(value[3])
    if kind is sre.BRANCH:
        return {each for branch in value[1] for each in _required(branch)}
    if kind in (sre.MAX_REPEAT, sre.MIN_REPEAT) and value[0] >= 1:
        return _required(value[2])
    return {frozenset()}
