"""Removes texts and sessions from the index: the port, and its SQLite implementation.

The statements are in `index_deletion.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.tombstone import EVERY_TEXT
from wisen.store import index_deletion, session_sizes
from wisen.store.folds import clear_context_texts, clear_texts
from wisen.store.indexed_texts import indexed_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from wisen.model.archive import ArchivedSession, ArchiveSize
    from wisen.model.tombstone import IndexedText, TextSearch
    from wisen.store.index_numbers import IndexNumbers
    from wisen.store.memories import SqliteMemories
    from wisen.store.sqlite import SqliteDatabase


class IndexRemoval(Protocol):
    """How an index forgets."""

    def indexed_texts(self, search: TextSearch = EVERY_TEXT) -> Iterator[IndexedText]:
        """Yield the texts that are stored because of an event and what was derived from it, or those that may match."""
        ...

    def redact(self, events: Collection[tuple[str, str]]) -> int:
        """Delete the texts of events, by agent and id, and whatever was derived from their sessions.

        The outcome of a call is redacted with it.

        The events stay as stubs without content, and their sessions are queued for mining. Returns how many had a text.
        """
        ...

    def remove_scope(self, scope: str, until: datetime) -> None:
        """Delete the sessions completely within a scope, and redact what else happened there until a moment."""
        ...

    def archived_sessions(self) -> tuple[ArchivedSession, ...]:
        """Return every stored session, in no order."""
        ...

    def archive_size(self) -> ArchiveSize:
        """Return the total of all stored sessions, without listing them."""
        ...

    def remove_sessions(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Delete whole sessions, by agent, id and segment, and whatever was derived from them.

        How far their sources were read stays known.
        """
        ...

    def move_context(self, old: str, new: str) -> None:
        """Move what happened in one context to another: a directory turned out to belong to a known project."""
        ...

    def unredact(self, events: Collection[tuple[str, str]]) -> None:
        """Delete the stubs of events, and mark their sources as unread; without events, all sources."""
        ...

    def scrub(self, *, thoroughly: bool = True) -> None:
        """Leave no byte of what was deleted in the files of the store.

        Otherwise, copies of deleted rows may stay in the unused parts of pages, and the file need not shrink: that
        takes only as long as what was deleted, and not as long as what is stored.
        """
        ...


class SqliteIndexRemoval:
    """Removes texts and sessions from a SQLite file."""

    def __init__(self, db: SqliteDatabase, numbers: IndexNumbers, memories: SqliteMemories) -> None:
        self._db, self._numbers, self._memories = db, numbers, memories

    def indexed_texts(self, search: TextSearch = EVERY_TEXT) -> Iterator[IndexedText]:
        """Yield the texts that are stored because of an event and what was derived from it, or those that may match."""
        return indexed_texts(self._db, search)

    def redact(self, events: Collection[tuple[str, str]]) -> int:
        """Delete the texts of events, by agent and id, and whatever was derived from their sessions."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            many, sessions, contexts = index_deletion.redact(self._db, events)
            clear_texts(self._db, contexts)
            self._memories.forget([f"session:{session}" for session in sessions])
        return many

    def remove_scope(self, scope: str, until: datetime) -> None:
        """Delete the sessions completely within a scope, and redact what else happened there until a moment."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            sessions = index_deletion.sessions_within(self._db, scope)
            clear_texts(self._db, index_deletion.contexts_of(self._db, sessions))
            self._memories.forget([f"session:{session}" for session in sessions])
            index_deletion.delete_sessions(self._db, sessions)
        self._numbers.clear()
        self._numbers.handed_out.clear()
        self.redact(index_deletion.events_until(self._db, scope, until))

    def archived_sessions(self) -> tuple[ArchivedSession, ...]:
        """Return every stored session."""
        return session_sizes.archived_sessions(self._db)

    def archive_size(self) -> ArchiveSize:
        """Return the total of all stored sessions."""
        return session_sizes.archive_size(self._db)

    def remove_sessions(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Delete whole sessions, by agent, id and segment, and whatever was derived from them."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            numbers = index_deletion.session_numbers(self._db, sessions)
            clear_context_texts(self._db, index_deletion.contexts_of(self._db, numbers))
            self._memories.forget([f"session:{number}" for number in sorted(numbers)])
            index_deletion.delete_sessions(self._db, numbers)
        self._numbers.clear()
        self._numbers.handed_out.clear()

    def move_context(self, old: str, new: str) -> None:
        """Move what happened in one context to another."""
        with self._db.transaction():
            clear_context_texts(self._db, {old, new})
            index_deletion.move_context(self._db, old, new)
            self._numbers.clear()

    def unredact(self, events: Collection[tuple[str, str]]) -> None:
        """Delete the stubs of events, and mark their sources as unread; without events, all sources."""
        with self._db.transaction():
            if not events:
                index_deletion.mark_all_unread(self._db)
            sessions = index_deletion.unredact(self._db, events)
            self._memories.forget([f"session:{session}" for session in sessions])

    def scrub(self, *, thoroughly: bool = True) -> None:
        """Leave no byte of what was deleted in the files of the store; or only what costs little."""
        index_deletion.scrub(self._db, thoroughly=thoroughly)
