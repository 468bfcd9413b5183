"""How texts and sessions go out of the index: the port, and the one in a SQLite file.

The statements are in `index_deletion.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.store import index_deletion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from wisen.model.archive import ArchivedSession
    from wisen.model.tombstone import IndexedText
    from wisen.store.index_numbers import IndexNumbers
    from wisen.store.memories import SqliteMemories
    from wisen.store.sqlite import SqliteDatabase


class IndexRemoval(Protocol):
    """What an index does to forget."""

    def indexed_texts(self) -> Iterator[IndexedText]:
        """Every text that is held because of an event, and what was worked out of it."""
        ...

    def redact(self, events: Collection[tuple[str, str]]) -> int:
        """Take the texts of events away, by agent and id, and whatever was worked out of their sessions.

        What came back from a call goes with it.

        The events stay as stubs without content, and their sessions wait to be mined. Returns how many had a text.
        """
        ...

    def remove_scope(self, scope: str, until: datetime) -> None:
        """Take away the sessions that are wholly within a scope, and veil what else happened there until a moment."""
        ...

    def archived_sessions(self) -> tuple[ArchivedSession, ...]:
        """Every session that is held, in no order."""
        ...

    def remove_sessions(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Take away whole sessions, by agent, id and segment, and whatever was worked out of them.

        How far their sources were read stays known.
        """
        ...

    def move_context(self, old: str, new: str) -> None:
        """What happened in one context happened in another: a directory turned out to belong to a known project."""
        ...

    def unredact(self, events: Collection[tuple[str, str]]) -> None:
        """Drop the stubs of events, and have the sources of their sessions read again; with no events, all sources."""
        ...

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        ...


class SqliteIndexRemoval:
    """How texts and sessions go out of a SQLite file."""

    def __init__(self, db: SqliteDatabase, numbers: IndexNumbers, memories: SqliteMemories) -> None:
        self._db, self._numbers, self._memories = db, numbers, memories

    def indexed_texts(self) -> Iterator[IndexedText]:
        """Every text that is held because of an event, and what was worked out of it."""
        return index_deletion.indexed_texts(self._db)

    def redact(self, events: Collection[tuple[str, str]]) -> int:
        """Take the texts of events away, by agent and id, and whatever was worked out of their sessions."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            many, sessions = index_deletion.redact(self._db, events)
            self._memories.forget([f"session:{session}" for session in sessions])
        return many

    def remove_scope(self, scope: str, until: datetime) -> None:
        """Take away the sessions that are wholly within a scope, and veil what else happened there until a moment."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            sessions = index_deletion.within(self._db, scope)
            self._memories.forget([f"session:{session}" for session in sessions])
            index_deletion.drop(self._db, sessions)
        self._numbers.clear()
        self._numbers.handed_out.clear()
        self.redact(index_deletion.happened(self._db, scope, until))

    def archived_sessions(self) -> tuple[ArchivedSession, ...]:
        """Every session that is held."""
        return index_deletion.archived_sessions(self._db)

    def remove_sessions(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Take away whole sessions, by agent, id and segment, and whatever was worked out of them."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            numbers = index_deletion.numbers_of(self._db, sessions)
            self._memories.forget([f"session:{number}" for number in sorted(numbers)])
            index_deletion.drop(self._db, numbers)
        self._numbers.clear()
        self._numbers.handed_out.clear()

    def move_context(self, old: str, new: str) -> None:
        """What happened in one context happened in another."""
        with self._db.transaction():
            index_deletion.move_context(self._db, old, new)
            self._numbers.clear()

    def unredact(self, events: Collection[tuple[str, str]]) -> None:
        """Drop the stubs of events, or of none all that was dropped, and have their sources read again."""
        with self._db.transaction():
            if not events:
                index_deletion.unread(self._db)
            sessions = index_deletion.unredact(self._db, events)
            self._memories.forget([f"session:{session}" for session in sessions])

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        index_deletion.scrub(self._db)
