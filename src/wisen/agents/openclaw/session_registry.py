"""Looks up who writes in each OpenClaw session, by the keys in sessions.json or the database that replaced it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker, speaker_of
from wisen.agents.sqlite_logs import cell_text, column_names, open_read_only
from wisen.safety.regular_files import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

DATABASE = "openclaw-agent.sqlite"
_MAX_REGISTRY_BYTES = 64 << 20


class _Entry(msgspec.Struct):
    sessionId: str = ""  # noqa: N815 - the name in the file
    spawnedBy: str | None = None  # noqa: N815 - the name in the file
    chatType: str | None = None  # noqa: N815 - the name in the file
    usageFamilySessionIds: list[str] = []  # noqa: N815 - the name in the file


_entries = msgspec.json.Decoder(dict[str, msgspec.Raw])
_entry = msgspec.json.Decoder(_Entry)


def speakers_beside(transcript: Path) -> Mapping[str, OpenclawSpeaker]:
    """Return who writes in the sessions with files next to this one, as far as it is still recorded."""
    folder = transcript.parent.parent if transcript.parent.name == "cold" else transcript.parent
    speakers: dict[str, OpenclawSpeaker] = {}
    database = folder.parent / "agent" / DATABASE
    if database.is_file():
        try:
            with closing(open_read_only(database)) as opened:
                speakers |= speakers_in(opened)
        except sqlite3.Error:
            pass  # the database is a source of its own, and is reported as one
    return speakers | _speakers_in_file(folder / "sessions.json")


def speakers_in(database: sqlite3.Connection) -> dict[str, OpenclawSpeaker]:
    """Return who writes in the sessions of a database, whose table names differ between versions."""
    speakers: dict[str, OpenclawSpeaker] = {}
    for table in ("session_transcript_archives", "sessions", "session_windows"):
        columns = column_names(database, table)
        if not {"session_id", "session_key"} <= columns:
            continue
        node_columns = column_names(database, "session_nodes") if table == "session_windows" else set()
        for row in database.execute(_query(table, columns, node_columns)):
            session, key, spawned, chat, external_source, via = (
                None if cell is None else cell_text(cell) for cell in row
            )
            speaker = speaker_of(key or "", spawned_by=spawned, created_via=via, chat_type=chat)
            speakers[session or ""] = OpenclawSpeaker.JOB if external_source else speaker
    return speakers


def version_of(path: Path) -> str | None:
    """Return the version of OpenClaw that a database records."""
    try:
        with closing(open_read_only(path)) as database:
            row = database.execute("SELECT app_version FROM schema_meta WHERE app_version IS NOT NULL").fetchone()
    except sqlite3.Error:
        return None
    return cell_text(row[0]) if row else None


def _query(table: str, columns: set[str], node_columns: set[str]) -> str:
    """Build the query for the cells that show who writes; NULL for columns that this version does not have."""
    names = ("session_id", "session_key", "spawned_by", "chat_type", "hook_external_content_source")
    cells = [f"own.{name}" if name in columns else "NULL" for name in names]
    via = "made.created_via" if "created_via" in node_columns else "NULL"
    if "spawned_by" in node_columns:
        cells[2] = f"coalesce({cells[2]}, made.spawned_by)"
    join = "LEFT JOIN session_nodes AS made ON made.session_key = own.session_key" if node_columns else ""
    return f"SELECT {', '.join(cells)}, {via} FROM {table} AS own {join}"  # noqa: S608 - constants of this file


def _speakers_in_file(file: Path) -> dict[str, OpenclawSpeaker]:
    try:
        entries = _entries.decode(read_regular_file(file, _MAX_REGISTRY_BYTES))
    except (OSError, msgspec.DecodeError):
        return {}
    speakers: dict[str, OpenclawSpeaker] = {}
    for key, raw in entries.items():
        try:
            entry = _entry.decode(raw)
        except msgspec.DecodeError:
            continue
        speaker = speaker_of(key, spawned_by=entry.spawnedBy, chat_type=entry.chatType)
        speakers |= dict.fromkeys([*entry.usageFamilySessionIds, entry.sessionId], speaker)
    return speakers
