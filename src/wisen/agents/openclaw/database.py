"""Reads OpenClaw's database since 2026.8: transcript records as rows of many sessions, possibly compressed.

Rows are appended, so the last row read is the position. A session with new rows is resumed where reading stopped; one
that was rewritten or is no longer in the cursor is read from its beginning, and its events are deduped by id. Nothing
is ever written, and no query stays open between batches.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from wisen.agents import json_recovery, jsonl
from wisen.agents.event_collector import MAX_PENDING_BYTES, EventCollector
from wisen.agents.openclaw import zstd_stream
from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker
from wisen.agents.openclaw.read import AGENT, OpenclawConversation
from wisen.agents.openclaw.records import IGNORED_TYPES, RELEVANT_TYPES, Record, record_decoder
from wisen.agents.openclaw.session_registry import speakers_in
from wisen.agents.session_segments import Segment  # noqa: TC001 - msgspec reads the annotation at run time
from wisen.agents.sqlite_logs import cell_text, column_names, open_read_only
from wisen.model.source import Batch, ReadProblem, ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.model.event import Event
    from wisen.model.source import SourceMark

_BEFORE_TRANSCRIPTS = range(1, 4)
"""Database versions from when transcripts were still files."""
_VERSIONS = range(4, 24)
"""Database versions that this reader was written for."""
_REQUIRED_COLUMNS = {"session_id", "seq", "event_json"}
_BATCH_BYTES = 1 << 20
_MAX_SESSIONS = 200
"""Sessions whose position is kept in the cursor; others are read from their beginning when they continue."""
_MAX_PENDING_ROWS = 2_000
"""Rows after which an open call will not get a result."""


class OpenclawSessionCursor(msgspec.Struct, frozen=True):
    """Where to resume a session."""

    seq: int
    segment: Segment | None
    place: str
    voice: str = ""
    local: bool = False


class OpenclawCursor(msgspec.Struct, frozen=True):
    """How far a database was read; `guard` shows whether the last row is still the same."""

    row: int = 0
    guard: str = ""
    version: int = -1
    sessions: dict[str, OpenclawSessionCursor] = msgspec.field(default_factory=dict)


class _ChangedSession(NamedTuple):
    session: str
    first: int
    """The lowest sequence number of the session's new rows."""


class _Session(NamedTuple):
    """A session while its rows are parsed."""

    name: str
    collector: EventCollector
    conversation: OpenclawConversation


def read_database(path: Path, mark: SourceMark | None, *, program_prompts: bool) -> Iterator[Batch]:
    """Yield the events after the mark."""
    cursor = mark.cursor if mark else ""
    try:
        with closing(open_read_only(path)) as database:
            for batch in _DatabaseReader(database, cursor, program_prompts=program_prompts).batches():
                cursor = batch.cursor
                yield batch
    except sqlite3.Error as error:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=str(error)[:40], offset=0)
        yield Batch(events=(), problems=(problem,), cursor=cursor, read_bytes=0)


class _DatabaseReader:
    """One pass over a database."""

    def __init__(self, database: sqlite3.Connection, cursor: str, *, program_prompts: bool) -> None:
        self._database = database
        self._program_prompts = program_prompts
        self._version = int(database.execute("PRAGMA user_version").fetchone()[0])
        self._columns = column_names(database, "transcript_events")
        self._cursor = self._resume(cursor)
        self._session_cursors = dict(self._cursor.sessions)
        self._events: list[Event] = []
        self._problems: list[ReadProblem] = []
        self._bytes = 0

    def batches(self) -> Iterator[Batch]:
        """Yield everything after the cursor."""
        if not self._columns >= _REQUIRED_COLUMNS:
            yield self._empty_batch()
            return
        if self._version not in _VERSIONS and self._version != self._cursor.version:
            self._add_problem(ReadProblemKind.MISSHAPEN, 0, f"user_version {self._version}")
        row, from_start = self._cursor.row, self._cursor.row == 0
        end = self._database.execute("SELECT coalesce(max(rowid), 0) FROM transcript_events").fetchone()[0]
        speakers = speakers_in(self._database)
        for changed in self._changed_sessions(row, end):
            session, seq = self._open(changed, speakers)
            while seq is not None:
                seq = self._read_rows(session, seq, end)
                if self._bytes >= _BATCH_BYTES:
                    yield self._batch(row, from_start=from_start)
                    from_start = False
        yield self._batch(end, from_start=from_start)

    def _resume(self, text: str) -> OpenclawCursor:
        try:
            cursor = msgspec.json.decode(text or "{}", type=OpenclawCursor)
        except msgspec.DecodeError:
            return OpenclawCursor()
        return (
            cursor
            if self._columns >= _REQUIRED_COLUMNS and self._guard(cursor.row) == cursor.guard
            else OpenclawCursor()
        )

    def _guard(self, row: int) -> str:
        """Return a digest of a row: if it differs, rows were renumbered and the cursor is invalid."""
        query = "SELECT session_id, seq, length(event_json) FROM transcript_events WHERE rowid = ?"
        cells = self._database.execute(query, (row,)).fetchone()
        return hashlib.blake2b(repr(cells).encode(), digest_size=8).hexdigest() if cells else ""

    def _empty_batch(self) -> Batch:
        """Return a batch for a database without transcripts; this is a problem unless its version used files."""
        problems: tuple[ReadProblem, ...] = ()
        if self._columns or self._version not in _BEFORE_TRANSCRIPTS:
            missing = (
                f"transcript_events.{min(_REQUIRED_COLUMNS - self._columns)}" if self._columns else "transcript_events"
            )
            problems = (ReadProblem(kind=ReadProblemKind.MISSHAPEN, detail=f"{missing} missing", offset=0),)
        return Batch(events=(), problems=problems, cursor="", read_bytes=0, from_start=True)

    def _changed_sessions(self, row: int, end: int) -> list[_ChangedSession]:
        """Return the sessions with new rows, in order of their start, so that copies follow the original."""
        query = (
            "SELECT session_id, min(CAST(seq AS INTEGER)) FROM transcript_events WHERE rowid > ? AND rowid <= ?"
            " GROUP BY session_id ORDER BY min(rowid)"
        )
        return [
            _ChangedSession(cell_text(session), first) for session, first in self._database.execute(query, (row, end))
        ]

    def _open(self, changed: _ChangedSession, speakers: dict[str, OpenclawSpeaker]) -> tuple[_Session, int | None]:
        """Open a session where reading stopped, or at its beginning if it was rewritten or is unknown."""
        saved = self._session_cursors.pop(changed.session, None)
        if saved is not None and changed.first < saved.seq:
            saved = None
        collector = EventCollector(AGENT, {changed.session: saved.segment} if saved and saved.segment else {})
        conversation = OpenclawConversation(collector, speakers.get, program_prompts=self._program_prompts)
        conversation.begin(changed.session, saved.place if saved else "")
        if conversation.speaker is None and saved and saved.voice:
            conversation.speaker = OpenclawSpeaker(saved.voice)
        conversation.local = saved is not None and saved.local
        return _Session(changed.session, collector, conversation), saved.seq if saved else 0

    def _read_rows(self, session: _Session, seq: int, end: int) -> int | None:
        """Parse some rows of a session. Returns the sequence number to continue with; None if there are no more."""
        following, size_read = None, 0
        compressed_column = "event_zstd" if "event_zstd" in self._columns else "NULL"
        query = (
            "SELECT CAST(seq AS INTEGER), rowid, length(event_json),"  # noqa: S608 - constants of this file
            f" CASE WHEN length(event_json) <= ? THEN event_json END, {compressed_column}"
            " FROM transcript_events WHERE session_id = ? AND seq >= ? AND rowid <= ? ORDER BY seq"
        )
        with closing(self._database.execute(query, (jsonl.MAX_RECORD_BYTES, session.name, seq, end))) as rows:
            for number, row, size, plain, blob in rows:
                if size_read >= _BATCH_BYTES:
                    following = number
                    break
                data = _row_json(plain, blob) if size is None or size <= jsonl.MAX_RECORD_BYTES else None
                if data is None:
                    self._add_problem(ReadProblemKind.OVERSIZED, row)
                else:
                    self._parse_row(session, data, number, row)
                size_read += len(data or b"")
                seq = number + 1
        self._bytes += size_read
        self._save_cursor(session, seq)
        return following

    def _parse_row(self, session: _Session, data: bytes, number: int, row: int) -> None:
        """Parse one row. Whatever is wrong with it becomes a problem."""
        try:
            record = _decode_record(data)
        except msgspec.ValidationError:
            kind = _kind_of(data)
            if kind not in IGNORED_TYPES:
                self._add_problem(
                    ReadProblemKind.MISSHAPEN if kind in RELEVANT_TYPES else ReadProblemKind.UNKNOWN, row, kind
                )
            return
        if record is None:
            self._add_problem(ReadProblemKind.GARBLED, row)
            return
        if record.type == "session":
            record.id = session.name
        try:
            session.conversation.parse_record(record, number)
        except Exception as error:  # noqa: BLE001 - error boundary: a row that fails costs that row only
            session.collector.add_parser_error(row, error)
        events, problems = session.collector.drain()
        self._events += events
        self._problems += (replace(each, offset=row) for each in problems)

    def _save_cursor(self, session: _Session, seq: int) -> None:
        """Store where to resume: before the oldest open call, unless that is long ago."""
        resume, segments = session.collector.resume_at(seq)
        if seq - resume > _MAX_PENDING_ROWS:
            resume, segments = seq, session.collector.resume_at(seq + MAX_PENDING_BYTES + 1)[1]
        conversation = session.conversation
        speaker = conversation.speaker.value if conversation.speaker else ""
        self._session_cursors.pop(session.name, None)
        segment = segments.get(session.name)
        self._session_cursors[session.name] = OpenclawSessionCursor(
            resume, segment, conversation.place, speaker, conversation.local
        )

    def _batch(self, row: int, *, from_start: bool) -> Batch:
        sessions = dict(list(self._session_cursors.items())[-_MAX_SESSIONS:])
        cursor = OpenclawCursor(row, self._guard(row), self._version, sessions)
        batch = Batch(
            events=tuple(self._events),
            problems=tuple(self._problems),
            cursor=msgspec.json.encode(cursor).decode("utf-8"),
            read_bytes=self._bytes,
            from_start=from_start,
        )
        self._events, self._problems, self._bytes = [], [], 0
        return batch

    def _add_problem(self, kind: ReadProblemKind, row: int, detail: str = "") -> None:
        self._problems.append(ReadProblem(kind=kind, detail=detail[:40], offset=row))


def _row_json(plain: object, blob: object) -> bytes | None:
    """Return the JSON of a row, empty if it is not readable; None if it is too long."""
    if isinstance(plain, bytes):
        return plain
    try:
        return zstd_stream.decompress(blob, jsonl.MAX_RECORD_BYTES) if isinstance(blob, bytes) else b""
    except zstd_stream.CorruptStream:
        return b""


def _decode_record(data: bytes) -> Record | None:
    """Decode the record of a row; None if it is invalid. Raises: msgspec.ValidationError."""
    try:
        return record_decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        # A lone surrogate, or a character that JSON forbids.
        records, is_complete = json_recovery.recover_records(data, lambda _: True)
        try:
            return record_decoder.decode(records[0]) if is_complete and len(records) == 1 else None
        except (UnicodeDecodeError, RecursionError):
            return None


class _Kind(msgspec.Struct):
    type: str = ""


_kind = msgspec.json.Decoder(_Kind)


def _kind_of(data: bytes) -> str:
    try:
        return _kind.decode(data).type
    except msgspec.DecodeError:
        return ""
