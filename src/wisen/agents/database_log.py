"""Follows sessions stored as rows of a database, and resumes each one where the cursor says.

Rows of many sessions are interleaved and ordered by row id. A session with new rows or a pending line is resumed; one
that is no longer in the cursor is read from its beginning, and its events are deduped by id. It knows no agent: a
`Conversation` interprets the rows. Nothing is ever written.
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
from wisen.model.source import Batch, ReadProblem, ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wisen.model.event import Event
    from wisen.model.source import SourceMark

_BATCH_BYTES = 1 << 20
_MAX_SESSIONS = 200
"""Sessions whose position is kept in the cursor."""
_MAX_PENDING_ROWS = 2_000
"""Rows after which a pending line will not get its counterpart."""


class Conversation(Protocol):
    """Parses the rows of one session."""

    collector: EventCollector
    native: str

    def parse_row(self, cells: tuple[Any, ...], row: int) -> None:
        """Parse one row."""
        ...


class RowTable(NamedTuple):
    """The table whose rows are records of sessions."""

    agent: str
    name: str
    id_column: str
    """The column that identifies a row permanently."""
    required_columns: Mapping[str, frozenset[str]]
    """Columns that reading requires, by table."""
    query: str
    """Selects row id, length and cells; has the parameters :longest, :session, :first and :last."""


class SessionCursor(msgspec.Struct, frozen=True):
    """Where to resume a session."""

    row: int
    native: str
    segment: Segment | None


class RowCursor(msgspec.Struct, frozen=True):
    """How far a database was read; `guard` shows whether the last row is still the same."""

    row: int = 0
    guard: str = ""
    sessions: dict[str, SessionCursor] = msgspec.field(default_factory=dict)


class ConversationFactory(Protocol):
    """Prepares the conversations of a database."""

    def __call__(self, database: sqlite3.Connection) -> Callable[[str, Mapping[str, Segment]], Conversation]:
        """Return a function that creates the conversation of a session with its segment so far."""
        ...


def read_rows(
    path: Path, mark: SourceMark | None, table: RowTable, open_conversations: ConversationFactory
) -> Iterator[Batch]:
    """Yield the events after the mark."""
    # Nothing shows whether a row was changed, so a full comparison means reading everything again.
    cursor = mark.cursor if mark and not mark.is_suspect else ""
    try:
        with closing(open_read_only(path)) as database:
            for name, required in table.required_columns.items():
                missing = required - column_names(database, name)
                if missing:
                    problem = ReadProblem(
                        kind=ReadProblemKind.MISSHAPEN, detail=f"{name}.{min(missing)} missing"[:40], offset=0
                    )
                    yield Batch(events=(), problems=(problem,), cursor="", read_bytes=0, from_start=True)
                    return
            for batch in _DatabaseReader(database, cursor, table, open_conversations).batches():
                cursor = batch.cursor
                yield batch
    except sqlite3.Error as error:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=str(error)[:40], offset=0)
        yield Batch(events=(), problems=(problem,), cursor=cursor, read_bytes=0)


class _DatabaseReader:
    """One pass over a database."""

    def __init__(
        self, database: sqlite3.Connection, cursor: str, table: RowTable, open_conversations: ConversationFactory
    ) -> None:
        self._database = database
        self._table = table
        self._conversation = open_conversations(database)
        self._cursor = self._resume(cursor)
        self._session_cursors = dict(self._cursor.sessions)
        self._events: list[Event] = []
        self._problems: list[ReadProblem] = []
        self._bytes = 0

    def batches(self) -> Iterator[Batch]:
        """Yield everything after the cursor."""
        row, from_start = self._cursor.row, self._cursor.row == 0
        (end,) = self._database.execute(f"SELECT coalesce(max(rowid), 0) FROM {self._table.name}").fetchone()  # noqa: S608 - a name of ours
        for session in self._changed_sessions(row, end):
            saved = self._session_cursors.pop(session, None)
            segments = {saved.native: saved.segment} if saved and saved.segment else {}
            conversation = self._conversation(session, segments)
            following: int | None = saved.row if saved else 0
            while following is not None:
                following = self._read_rows(session, conversation, following, end)
                if self._bytes >= _BATCH_BYTES:
                    yield self._batch(row, from_start=from_start)
                    from_start = False
        yield self._batch(end, from_start=from_start)

    def _resume(self, text: str) -> RowCursor:
        try:
            cursor = msgspec.json.decode(text or "{}", type=RowCursor)
        except msgspec.DecodeError:
            return RowCursor()
        return cursor if self._guard(cursor.row) == cursor.guard else RowCursor()

    def _guard(self, row: int) -> str:
        """Return a digest of a row's session and id: if it differs, rows were renumbered and the cursor is invalid."""
        query = f"SELECT session_id, {self._table.id_column} FROM {self._table.name} WHERE rowid = ?"  # noqa: S608 - names of ours
        cells = self._database.execute(query, (row,)).fetchone()
        return hashlib.blake2b(repr(cells).encode(), digest_size=8).hexdigest() if cells else ""

    def _changed_sessions(self, row: int, end: int) -> list[str]:
        """Return the sessions with new rows and those with pending lines."""
        query = (
            f"SELECT session_id FROM {self._table.name} WHERE rowid > ? AND rowid <= ?"  # noqa: S608 - a name of ours
            " GROUP BY session_id ORDER BY min(rowid)"
        )
        pending = [session for session, saved in self._session_cursors.items() if saved.row <= row]
        changed = [cell_text(session) for (session,) in self._database.execute(query, (row, end))]
        return list(dict.fromkeys([*pending, *changed]))

    def _read_rows(self, session: str, conversation: Conversation, first: int, end: int) -> int | None:
        """Parse some rows of a session. Returns the row to continue with; None if there are no more."""
        following, size_read, next_row = None, 0, first
        parameters = {"longest": MAX_RECORD_BYTES, "session": session, "first": first, "last": end}
        with closing(self._database.execute(self._table.query, parameters)) as rows:
            for row, size, *cells in rows:
                if size_read >= _BATCH_BYTES:
                    following = row
                    break
                if (size or 0) > MAX_RECORD_BYTES:
                    self._problems.append(ReadProblem(kind=ReadProblemKind.OVERSIZED, detail="", offset=row))
                else:
                    size_read += size or 0
                    try:
                        conversation.parse_row(tuple(cells), row)
                    except Exception as error:  # noqa: BLE001 - error boundary: a row that fails costs that row only
                        conversation.collector.add_parser_error(row, error)
                next_row = row + 1
        events, problems = conversation.collector.drain()
        self._events += events
        self._problems += problems
        self._bytes += size_read
        self._save_cursor(session, conversation, next_row if following is not None else end + 1)
        return following

    def _save_cursor(self, session: str, conversation: Conversation, row: int) -> None:
        """Store where to resume: before the oldest pending line, unless that is long ago."""
        collector = conversation.collector
        resume, segments = collector.resume_at(row)
        if row - resume > _MAX_PENDING_ROWS:
            resume, segments = row, collector.resume_at(row + MAX_PENDING_BYTES + 1)[1]
        self._session_cursors[session] = SessionCursor(resume, conversation.native, segments.get(conversation.native))

    def _batch(self, row: int, *, from_start: bool) -> Batch:
        sessions = dict(list(self._session_cursors.items())[-_MAX_SESSIONS:])
        cursor = RowCursor(row, self._guard(row), sessions)
        batch = Batch(
            events=tuple(self._events),
            problems=tuple(self._problems),
            cursor=msgspec.json.encode(cursor).decode("utf-8"),
            read_bytes=self._bytes,
            from_start=from_start,
        )
        self._events, self._problems, self._bytes = [], [], 0
        return batch
