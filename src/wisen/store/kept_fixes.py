"""Keeps the fixes of all sessions: a run looks only at those tried in sessions that changed since the last one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, structs

from wisen.model.fix import Fix  # noqa: TC001 - msgspec reads the types of fields
from wisen.model.report import Selection
from wisen.store.findings_queries import Chance, numbered_fixes, sort_fixes
from wisen.store.folds import Fold, SqliteFolds, keep_fold
from wisen.store.index_selection import report_garbled, sql_selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.store.sqlite import SqliteDatabase

_NAME, _VERSION = "fixes", "1"
_THESE = "t.fix IN (SELECT value FROM json_each(:fixes))"
_TRIED_IN = "SELECT DISTINCT fix FROM tries WHERE session IN (SELECT value FROM json_each(?))"
_SESSIONS = "SELECT fix, session FROM tries t WHERE {found} GROUP BY fix, session ORDER BY fix, session"


class _KeptFix(Struct, frozen=True, array_like=True):
    fix: Fix
    number: int
    change: int
    sessions: tuple[int, ...]
    """In which it was tried, by number."""


def all_fixes(db: SqliteDatabase) -> tuple[Fix, ...]:
    """Return the fixes of all sessions, as `findings_queries.fixes` does."""
    folds = SqliteFolds(db)
    revision = folds.revision()  # first: what is mined meanwhile is read again the next time
    stored = folds.load(_NAME, _VERSION)
    kept = None if stored is None else _decode(stored.value)
    if stored is None or kept is None:
        every = _read(db, None)
    else:
        changed = folds.changed_sessions(stored.revision)
        if not changed:
            return sort_fixes(each.fix for each in kept)
        numbers = {each.number for each in kept if not changed.isdisjoint(each.sessions)}
        numbers |= {db.as_int(fix) for (fix,) in db.run(_TRIED_IN, (json.dumps(sorted(changed)),))}
        every = [each for each in kept if each.number not in numbers] + _read(db, numbers)
    every = _with_chance(db, every)
    if (value := _encode(every)) is not None:
        keep_fold(folds, _NAME, _VERSION, Fold(revision, value), holds_text=True)
    return sort_fixes(each.fix for each in every)


def _read(db: SqliteDatabase, numbers: Collection[int] | None) -> list[_KeptFix]:
    """Return some fixes, by number, or all of them, without the share of chance."""
    condition, values = ("1", {}) if numbers is None else (_THESE, {"fixes": json.dumps(sorted(numbers))})
    with report_garbled(db):
        tried: dict[int, list[int]] = {}
        for fix, session in db.run(_SESSIONS.format(found=condition), values):
            tried.setdefault(db.as_int(fix), []).append(db.as_int(session))
        return [
            _KeptFix(each.fix, each.number, each.change, tuple(tried[each.number]))
            for each in numbered_fixes(db, condition, values)
        ]


def _with_chance(db: SqliteDatabase, every: Iterable[_KeptFix]) -> list[_KeptFix]:
    """Return fixes with the share of chance, which every session may change."""
    found = [*every]
    with report_garbled(db):
        chance = Chance(db, {each.change: each.fix.change for each in found}, sql_selection(Selection()))
        return [
            structs.replace(each, fix=structs.replace(each.fix, by_chance=share))
            if (share := chance.of(each.change)) != each.fix.by_chance
            else each
            for each in found
        ]


def _encode(every: Iterable[_KeptFix]) -> str | None:
    try:
        return msgspec.json.encode(every).decode()
    except UnicodeEncodeError:  # bytes that are no text: they are read every time
        return None


def _decode(value: str) -> list[_KeptFix] | None:
    """Return what is stored; None if it cannot be read."""
    try:
        return msgspec.json.decode(value, type=list[_KeptFix])
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
