"""OpenClaw's database since 2026.8: the same records as rows, of many sessions at once, each perhaps compressed.

Rows are appended, so that the last row read tells how far. A session with new rows is read on from where it was left;
one that was rewritten, or that was last seen too long ago to be remembered, is read from its beginning, and identity
does the rest. Nothing is ever written, and no query stays open while somebody else works.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents import json_recovery, jsonl
from wisen.agents.event_collector import MAX_PENDING_BYTES, EventCollector
from wisen.agents.openclaw import zstd_stream
from wisen.agents.openclaw.openclaw_speakers import Speaker
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
"""Versions of the database while transcripts were still files."""
_VERSIONS = range(4, 24)
"""Versions whose transcripts this reader was written for."""
_NEEDED = {"session_id", "seq", "event_json"}
_STRETCH = 1 << 20
_REMEMBERED = 200
"""Sessions whose place is kept in the cursor; others are read from their beginning when they go on."""
_FAR = 2_000
"""Rows after which a call without a result will not get one."""


class OpenclawSessionCursor(msgspec.Struct, frozen=True):
    """Where a session was left."""

    seq: int
    segment: Segment | None
    place: str
    voice: str = ""
    local: bool = False


class OpenclawCursor(msgspec.Struct, frozen=True):
    """How far a database was read; `guard` tells whether the last row is still the one it was."""

    row: int = 0
    guard: str = ""
    version: int = -1
    sessions: dict[str, OpenclawSessionCursor] = msgspec.field(default_factory=dict)


class _ChangedSession(NamedTuple):
    session: str
    first: int
    """The lowest number among the session's new rows."""


class _Session(NamedTuple):
    """A session while its rows are taken in."""

    name: str
    collector: EventCollector
    conversation: OpenclawConversation


def read_database(path: Path, mark: SourceMark | None, *, program_prompts: bool) -> Iterator[Batch]:
    """The events behind the mark."""
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
        self._left = dict(self._cursor.sessions)
        self._events: list[Event] = []
        self._problems: list[ReadProblem] = []
        self._bytes = 0

    def batches(self) -> Iterator[Batch]:
        """Everything behind the cursor."""
        if not self._columns >= _NEEDED:
            yield self._empty_batch()
            return
        if self._version not in _VERSIONS and self._version != self._cursor.version:
            self._add_problem(ReadProblemKind.MISSHAPEN, 0, f"user_version {self._version}")
        row, afresh = self._cursor.row, self._cursor.row == 0
        end = self._database.execute("SELECT coalesce(max(rowid), 0) FROM transcript_events").fetchone()[0]
        speakers = speakers_in(self._database)
        for news in self._changed_sessions(row, end):
            session, seq = self._open(news, speakers)
            while seq is not None:
                seq = self._read_rows(session, seq, end)
                if self._bytes >= _STRETCH:
                    yield self._batch(row, afresh=afresh)
                    afresh = False
        yield self._batch(end, afresh=afresh)

    def _resume(self, text: str) -> OpenclawCursor:
        try:
            cursor = msgspec.json.decode(text or "{}", type=OpenclawCursor)
        except msgspec.DecodeError:
            return OpenclawCursor()
        return cursor if self._columns >= _NEEDED and self._guard(cursor.row) == cursor.guard else OpenclawCursor()

    def _guard(self, row: int) -> str:
        """A digest of what stands in a row: when it differs, rows were renumbered, and the cursor means nothing."""
        query = "SELECT session_id, seq, length(event_json) FROM transcript_events WHERE rowid = ?"
        found = self._database.execute(query, (row,)).fetchone()
        return hashlib.blake2b(repr(found).encode(), digest_size=8).hexdigest() if found else ""

    def _empty_batch(self) -> Batch:
        """There are no transcripts here: as it should be in the versions that had files, else it is told."""
        problems: tuple[ReadProblem, ...] = ()
        if self._columns or self._version not in _BEFORE_TRANSCRIPTS:
            lacks = f"transcript_events.{min(_NEEDED - self._columns)}" if self._columns else "transcript_events"
            problems = (ReadProblem(kind=ReadProblemKind.MISSHAPEN, detail=f"{lacks} missing", offset=0),)
        return Batch(events=(), problems=problems, cursor="", read_bytes=0, from_start=True)

    def _changed_sessions(self, row: int, end: int) -> list[_ChangedSession]:
        """The sessions with new rows; one that began first stands before those that may be copies of it."""
        query = (
            "SELECT session_id, min(CAST(seq AS INTEGER)) FROM transcript_events WHERE rowid > ? AND rowid <= ?"
            " GROUP BY session_id ORDER BY min(rowid)"
        )
        return [
            _ChangedSession(cell_text(session), first) for session, first in self._database.execute(query, (row, end))
        ]

    def _open(self, news: _ChangedSession, speakers: dict[str, Speaker]) -> tuple[_Session, int | None]:
        """A session where it was left, or at its beginning when it was rewritten or is not known."""
        left = self._left.pop(news.session, None)
        if left is not None and news.first < left.seq:
            left = None
        collector = EventCollector(AGENT, {news.session: left.segment} if left and left.segment else {})
        conversation = OpenclawConversation(collector, speakers.get, program_prompts=self._program_prompts)
        conversation.begin(news.session, left.place if left else "")
        if conversation.speaker is None and left and left.voice:
            conversation.speaker = Speaker(left.voice)
        conversation.local = left is not None and left.local
        return _Session(news.session, collector, conversation), left.seq if left else 0

    def _read_rows(self, session: _Session, seq: int, end: int) -> int | None:
        """Take some rows of a session in. Returns the number to go on from; None when there are no more."""
        following, taken = None, 0
        packed = "event_zstd" if "event_zstd" in self._columns else "NULL"
        query = (
            "SELECT CAST(seq AS INTEGER), rowid, length(event_json),"  # noqa: S608 - names of this file only
            f" CASE WHEN length(event_json) <= ? THEN event_json END, {packed}"
            " FROM transcript_events WHERE session_id = ? AND seq >= ? AND rowid <= ? ORDER BY seq"
        )
        with closing(self._database.execute(query, (jsonl.MAX_RECORD_BYTES, session.name, seq, end))) as rows:
            for number, row, size, plain, blob in rows:
                if taken >= _STRETCH:
                    following = number
                    break
                data = _row_json(plain, blob) if size is None or size <= jsonl.MAX_RECORD_BYTES else None
                if data is None:
                    self._add_problem(ReadProblemKind.OVERSIZED, row)
                else:
                    self._parse_row(session, data, number, row)
                taken += len(data or b"")
                seq = number + 1
        self._bytes += taken
        self._save_cursor(session, seq)
        return following

    def _parse_row(self, session: _Session, data: bytes, number: int, row: int) -> None:
        """Take one row in. Whatever is wrong with it becomes a trouble."""
        try:
            record = _record(data)
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
        except Exception as error:  # noqa: BLE001 - a fence: a row that a reader breaks on costs that row only
            session.collector.add_parser_error(row, error)
        events, problems = session.collector.drain()
        self._events += events
        self._problems += (replace(each, offset=row) for each in problems)

    def _save_cursor(self, session: _Session, seq: int) -> None:
        """Remember where to go on: before a call that still waits for its result, unless that is long ago."""
        resume, segments = session.collector.resume_at(seq)
        if seq - resume > _FAR:
            resume, segments = seq, session.collector.resume_at(seq + MAX_PENDING_BYTES + 1)[1]
        conversation = session.conversation
        voice = conversation.speaker.value if conversation.speaker else ""
        self._left.pop(session.name, None)
        segment = segments.get(session.name)
        self._left[session.name] = OpenclawSessionCursor(resume, segment, conversation.place, voice, conversation.local)

    def _batch(self, row: int, *, afresh: bool) -> Batch:
        left = dict(list(self._left.items())[-_REMEMBERED:])
        cursor = OpenclawCursor(row, self._guard(row), self._version, left)
        batch = Batch(
            events=tuple(self._events),
            problems=tuple(self._problems),
            cursor=msgspec.json.encode(cursor).decode("utf-8"),
            read_bytes=self._bytes,
            from_start=afresh,
        )
        self._events, self._problems, self._bytes = [], [], 0
        return batch

    def _add_problem(self, kind: ReadProblemKind, row: int, detail: str = "") -> None:
        self._problems.append(ReadProblem(kind=kind, detail=detail[:40], offset=row))


def _row_json(plain: object, blob: object) -> bytes | None:
    """The JSON of a row, empty when it cannot be had; None when it is too long."""
    if isinstance(plain, bytes):
        return plain
    try:
        return zstd_stream.decompress(blob, jsonl.MAX_RECORD_BYTES) if isinstance(blob, bytes) else b""
    except zstd_stream.CorruptStream:
        return b""


def _record(data: bytes) -> Record | None:
    """The record of a row; None when it is none. Raises: msgspec.ValidationError."""
    try:
        return record_decoder.decode(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        found, whole = json_recovery.recover_records(
            data, lambda _: True
        )  # half an emoji, or a character that JSON forbids
        try:
            return record_decoder.decode(found[0]) if whole and len(found) == 1 else None
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
