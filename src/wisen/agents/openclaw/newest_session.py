"""Finds when OpenClaw's newest session with a person began, in its database or in older transcript files."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.event_collector import parse_time
from wisen.agents.log_files import file_source, files_below
from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker
from wisen.agents.openclaw.read import AGENT
from wisen.agents.openclaw.records import Record
from wisen.agents.openclaw.session_registry import DATABASE, speakers_beside, speakers_in
from wisen.agents.sqlite_logs import cell_text, open_read_only
from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

_MAX_EXAMINED = 20
"""The number of recently written files that are examined."""
_HEADER_BYTES = 1 << 16
_FIRST_RECORD = (
    "SELECT event_json FROM transcript_events WHERE session_id = ? AND event_json IS NOT NULL ORDER BY seq LIMIT 1"
)
_header = msgspec.json.Decoder(Record)


def newest_session(state: Path, is_off: Callable[[str], bool]) -> datetime | None:
    """Return when it began; sessions in directories where wisen is disabled do not count."""
    headers = [*_headers_in_databases(state), *_headers_in_files(state)]
    return max((at for at, place in headers if not is_off(place)), default=None)


def _headers_in_databases(state: Path) -> Iterator[tuple[datetime, str]]:
    for path in sorted((state / "agents").glob(f"*/agent/{DATABASE}")):
        try:
            with closing(open_read_only(path)) as database:
                for session, speaker in speakers_in(database).items():
                    row = (
                        database.execute(_FIRST_RECORD, (session,)).fetchone()
                        if speaker is OpenclawSpeaker.USER
                        else None
                    )
                    yield from _parse_header(cell_text(row[0]).encode()) if row else ()
        except sqlite3.Error:
            continue


def _headers_in_files(state: Path) -> Iterator[tuple[datetime, str]]:
    sources = [file_source(AGENT, path) for path in files_below(state / "agents", ".jsonl")]
    transcripts = [
        each for each in sources if each.path.parent.name == "sessions" and ".trajectory." not in each.path.name
    ]
    for source in sorted(transcripts, key=lambda each: -each.modified_ns)[:_MAX_EXAMINED]:
        if speakers_beside(source.path).get(source.path.stem, OpenclawSpeaker.USER) is OpenclawSpeaker.USER:
            try:
                with open_regular_file(source.path) as file:
                    yield from _parse_header(read_at_most(file, _HEADER_BYTES).partition(b"\n")[0])
            except OSError:
                continue


def _parse_header(line: bytes) -> Iterator[tuple[datetime, str]]:
    """Yield time and directory of a session's start, if the line is a session header."""
    try:
        record = _header.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return
    at = parse_time(record.timestamp)
    if record.type == "session" and at is not None:
        yield at, record.cwd or ""
