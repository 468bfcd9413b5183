"""Totals over many sessions, each stored with the revision up to which it counts; and which sessions changed since.

A step that needs something of every session keeps a fold: it loads the fold, adds what changed since its revision, and
saves it. A fold of another version, or none, is computed from all sessions; both ways must give the same.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.errors import StoreBusy, StoreReadOnly
from wisen.store.escapes import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.store.sqlite import SqliteDatabase

_SAVE = "INSERT OR REPLACE INTO folds (name, version, revision, holds_text, value, context) VALUES (?, ?, ?, ?, ?, ?)"
_CLEAR = "DELETE FROM folds WHERE holds_text >= ?"
_OF_CONTEXTS = "DELETE FROM folds WHERE holds_text AND context IN (SELECT value FROM json_each(?))"
_LOAD = "SELECT revision, value FROM folds WHERE name = ? AND version = ?"
_CHANGED = "SELECT session FROM session_changes WHERE revision > ?"


class Fold(NamedTuple):
    """A stored total."""

    revision: int
    """The newest change of a session that is part of it."""
    value: str


class Folds(Protocol):
    """Stored totals, and the changes of sessions."""

    def revision(self) -> int:
        """Return the number of the newest change of a session; 0 if there was none."""
        ...

    def changed_sessions(self, since: int) -> frozenset[int]:
        """Return the sessions that were mined or deleted after a revision, by their numbers in the index."""
        ...

    def load(self, name: str, version: str) -> Fold | None:
        """Return a fold; None if there is none of this version."""
        ...

    def save(
        self, name: str, version: str, fold: Fold, *, holds_text: bool = False, context: str | None = None
    ) -> None:
        """Store a fold. `holds_text`: it contains text of sessions, and is deleted when something is forgotten.

        `context`: the only one of whose sessions it contains text; then it stays when something is forgotten elsewhere.
        """
        ...

    def clear(self, *, only_with_text: bool = False) -> None:
        """Delete the folds, so that they are computed from all sessions again."""
        ...


class SqliteFolds:
    """Folds in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def revision(self) -> int:
        """Return the number of the newest change of a session."""
        return self._db.query_int("SELECT coalesce(max(revision), 0) FROM session_changes")

    def changed_sessions(self, since: int) -> frozenset[int]:
        """Return the sessions that were mined or deleted after a revision."""
        return frozenset(self._db.as_int(session) for (session,) in self._db.run(_CHANGED, (since,)))

    def load(self, name: str, version: str) -> Fold | None:
        """Return a fold; None if there is none of this version, or if what is stored cannot be one."""
        rows = self._db.run(_LOAD, (name, version))
        if not rows or not isinstance(rows[0][0], int) or not isinstance(rows[0][1], str):
            return None
        return Fold(rows[0][0], unescape(rows[0][1]))

    def save(
        self, name: str, version: str, fold: Fold, *, holds_text: bool = False, context: str | None = None
    ) -> None:
        """Store a fold."""
        of = None if context is None else escape(context)
        with self._db.transaction():
            self._db.run(_SAVE, (name, version, fold.revision, int(holds_text), escape(fold.value), of))

    def clear(self, *, only_with_text: bool = False) -> None:
        """Delete the folds."""
        with self._db.transaction():
            self._db.run(_CLEAR, (int(only_with_text),))


def keep_fold(
    folds: Folds, name: str, version: str, fold: Fold, *, holds_text: bool = False, context: str | None = None
) -> None:
    """Store a fold that only saves time: where the index cannot be written now, it is worked out again next time."""
    with suppress(StoreReadOnly, StoreBusy):
        folds.save(name, version, fold, holds_text=holds_text, context=context)


def clear_texts(db: SqliteDatabase, contexts: Collection[str]) -> None:
    """In a transaction: delete the folds that may contain text of sessions in these contexts."""
    db.run("DELETE FROM folds WHERE holds_text AND context IS NULL")
    clear_context_texts(db, contexts)


def clear_context_texts(db: SqliteDatabase, contexts: Collection[str]) -> None:
    """In a transaction: delete the folds with text of these contexts alone.

    Where sessions leave a context, its folds go at once: what is forgotten later would not be looked for there.
    """
    db.run(_OF_CONTEXTS, (json.dumps([escape(each) for each in sorted(contexts)]),))
