"""Keeps which guards each fix leads to: the evidence of a fix is read again only when it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.delivery.guards_from_fixes import GuardPattern, patterns_of_fix
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.fix import Fix
    from wisen.store.fix_marks import FixMark
    from wisen.store.index import Index

_NAME = "guard patterns"
_FORMAT = 1
"""Increases with every change of what is stored, or of how patterns are derived."""


class FixPatterns(Struct, frozen=True, array_like=True):
    """The patterns that make a fix unnecessary, and where it was seen."""

    tries: int
    revision: int
    """With `tries`: of which evidence they were derived."""
    contexts: tuple[str, ...]
    """Where it was tried."""
    worked_in: tuple[str, ...]
    patterns: tuple[GuardPattern, ...]


def derive_patterns(index: Index, fixes: Iterable[tuple[Fix, FixMark]], version: str) -> dict[str, FixPatterns]:
    """Return the patterns of each fix by its id, from what is kept of earlier runs. `version`: of wisen."""
    version = f"{_FORMAT} {version}"
    revision = index.folds.revision()
    stored = index.folds.load(_NAME, version)
    before = {} if stored is None else _decode(stored.value)
    found: dict[str, FixPatterns] = {}
    for fix, mark in fixes:
        known = before.get(fix.id)
        if known is None or mark.revision < 0 or (known.tries, known.revision) != (mark.tries, mark.revision):
            known = _derive(index, fix, mark)
        found[fix.id] = known
    if found != before:
        value = msgspec.json.encode(found).decode()
        index.folds.save(_NAME, version, Fold(revision, value), holds_text=True)
    return found


def _derive(index: Index, fix: Fix, mark: FixMark) -> FixPatterns:
    evidence = index.findings.evidence(fix.id)
    return FixPatterns(
        tries=mark.tries,
        revision=mark.revision,
        contexts=tuple(sorted({each.context for each in evidence})),
        worked_in=tuple(sorted({each.context for each in evidence if each.worked})),
        patterns=tuple(patterns_of_fix(fix, evidence)),
    )


def _decode(value: str) -> dict[str, FixPatterns]:
    """Return the stored patterns by fix; none if they cannot be read."""
    try:
        return msgspec.json.decode(value, type=dict[str, FixPatterns])
    except msgspec.DecodeError:
        return {}
