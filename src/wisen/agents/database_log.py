"""Follows sessions that are rows of a database: each is read on from where it was left, and a cursor says how far.

Rows come in the order of their numbers, of many sessions at once. A session with new rows, or with something that still
waits for its other half, is read on; one that was last seen too long ago to be remembered is read from its beginning,
and identity does the rest. It knows no agent: what a row means is told by a `Conversation`. Nothing is ever written.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from wisen.agents.event_collector import MAX_PENDING_BYTES, EventCollector
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.agents.session_segments import Segment  # noqa: TC001 - msgspec reads the annotation at run time
from wisen.agents.sqlite_logs import cell_text, column_names, open_read_only
from wisen.model.source import Batch, Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wisen.model.event import Event
    from wisen.model.source import Mark

_STRETCH = 1 << 20
_REMEMBERED = 200
"""Sessions whose place is kept in the cursor."""
_FAR = 2_000
"""Rows after which what waits will not get its other half."""


class Conversation(Protocol):
    """One session while its rows are taken in."""

    collector: EventCollector
    native: str

    def parse_row(self, cells: tuple[Any, ...], row: int) -> None:
        """Take one row in."""
        ...


class RowTable(NamedTuple):
    """The rows that are records of sessions."""

    agent: str
    name: str
    id_column: str
    """The column that tells one row from another for good."""
    required_columns: Mapping[str, frozenset[str]]
    """Columns without which nothing can be read, by table."""
    query: str
    """Gives the row's number, its length, and the cells; asks for :longest, :session, :first and :last."""


class SessionCursor(msgspec.Struct, frozen=True):
    """Where a session was left."""

    row: int
    native: str
    segment: Segment | None


class RowCursor(msgspec.Struct, frozen=True):
    """How far a database was read; `guard` tells whether the last row is still the one it was."""

    row: int = 0
    guard: str = ""
    sessions: dict[str, SessionCursor] = msgspec.field(default_factory=dict)


class ConversationFactory(Protocol):
    """Gives the conversations of a database."""

    def __call__(self, database: sqlite3.Connection) -> Callable[[str, Mapping[str, Segment]], Conversation]:
        """A function from a session and its segment so far to its conversation."""
        ...


def read_rows(path: Path, mark: Mark | None, table: RowTable, opening: ConversationFactory) -> Iterator[Batch]:
    """The events behind the mark."""
    # Nothing tells whether a row was changed, so that to compare everything is to read it again.
    cursor = mark.cursor if mark and not mark.doubted else ""
    try:
        with closing(open_read_only(path)) as database:
            for name, needed in table.required_columns.items():
                lacks = needed - column_names(database, name)
                if lacks:
                    problem = Trouble(kind=TroubleKind.MISSHAPEN, detail=f"{name}.{min(lacks)} missing"[:40], offset=0)
                    yield Batch(events=(), troubles=(problem,), cursor="", read_bytes=0, afresh=True)
                    return
            for batch in _DatabaseReader(database, cursor, table, opening).batches():
                cursor = batch.cursor
                yield batch
    except sqlite3.Error as error:
        problem = Trouble(kind=TroubleKind.UNREADABLE, detail=str(error)[:40], offset=0)
        yield Batch(events=(), troubles=(problem,), cursor=cursor, read_bytes=0)


class _DatabaseReader:
    """One pass over a database."""

    def __init__(
        self, database: sqlite3.Connection, cursor: str, table: RowTable, opening: ConversationFactory
    ) -> None:
        self._database = database
        self._table = table
        self._conversation = opening(database)
        self._cursor = self._resume(cursor)
        self._left = dict(self._cursor.sessions)
        self._events: list[Event] = []
        self._problems: list[Trouble] = []
        self._bytes = 0

    def batches(self) -> Iterator[Batch]:
        """Everything behind the cursor."""
        row, afresh = self._cursor.row, self._cursor.row == 0
        (end,) = self._database.execute(f"SELECT coalesce(max(rowid), 0) FROM {self._table.name}").fetchone()  # noqa: S608 - a name of ours
        for session in self._news(row, end):
            left = self._left.pop(session, None)
            segments = {left.native: left.segment} if left and left.segment else {}
            conversation = self._conversation(session, segments)
            following: int | None = left.row if left else 0
            while following is not None:
                following = self._stretch(session, conversation, following, end)
                if self._bytes >= _STRETCH:
                    yield self._batch(row, afresh=afresh)
                    afresh = False
        yield self._batch(end, afresh=afresh)

    def _resume(self, text: str) -> RowCursor:
        try:
            cursor = msgspec.json.decode(text or "{}", type=RowCursor)
        except msgspec.DecodeError:
            return RowCursor()
        return cursor if self._guard(cursor.row) == cursor.guard else RowCursor()

    def _guard(self, row: int) -> str:
        """A digest of whose row it is: when it differs, rows were renumbered, and the cursor means nothing."""
        query = f"SELECT session_id, {self._table.id_column} FROM {self._table.name} WHERE rowid = ?"  # noqa: S608 - names of ours
        found = self._database.execute(query, (row,)).fetchone()
        return hashlib.blake2b(repr(found).encode(), digest_size=8).hexdigest() if found else ""

    def _news(self, row: int, end: int) -> list[str]:
        """The sessions with new rows, and those in which something waits."""
        query = (
            f"SELECT session_id FROM {self._table.name} WHERE rowid > ? AND rowid <= ?"  # noqa: S608 - a name of ours
            " GROUP BY session_id ORDER BY min(rowid)"
        )
        waiting = [session for session, left in self._left.items() if left.row <= row]
        found = [cell_text(session) for (session,) in self._database.execute(query, (row, end))]
        return list(dict.fromkeys([*waiting, *found]))

    def _stretch(self, session: str, conversation: Conversation, first: int, end: int) -> int | None:
        """Take some rows of a session in. Returns the number to go on from; None when there are no more."""
        following, taken, behind = None, 0, first
        asked = {"longest": MAX_RECORD_BYTES, "session": session, "first": first, "last": end}
        with closing(self._database.execute(self._table.query, asked)) as rows:
            for row, size, *cells in rows:
                if taken >= _STRETCH:
                    following = row
                    break
                if (size or 0) > MAX_RECORD_BYTES:
                    self._problems.append(Trouble(kind=TroubleKind.OVERSIZED, detail="", offset=row))
                else:
                    taken += size or 0
                    try:
                        conversation.parse_row(tuple(cells), row)
                    except Exception as error:  # noqa: BLE001 - a fence: a row that a reader breaks on costs that row only
                        conversation.collector.add_parser_error(row, error)
                behind = row + 1
        events, problems = conversation.collector.drain()
        self._events += events
        self._problems += problems
        self._bytes += taken
        self._leave(session, conversation, behind if following is not None else end + 1)
        return following

    def _leave(self, session: str, conversation: Conversation, row: int) -> None:
        """Remember where to go on: before what still waits for its other half, unless that is long ago."""
        collector = conversation.collector
        resume, segments = collector.resume_at(row)
        if row - resume > _FAR:
            resume, segments = row, collector.resume_at(row + MAX_PENDING_BYTES + 1)[1]
        self._left[session] = SessionCursor(resume, conversation.native, segments.get(conversation.native))

    def _batch(self, row: int, *, afresh: bool) -> Batch:
        left = dict(list(self._left.items())[-_REMEMBERED:])
        cursor = RowCursor(row, self._guard(row), left)
        batch = Batch(
            events=tuple(self._events),
            troubles=tuple(self._problems),
            cursor=msgspec.json.encode(cursor).decode("utf-8"),
            read_bytes=self._bytes,
            afresh=afresh,
        )
        self._events, self._problems, self._bytes = [], [], 0
        return batch
