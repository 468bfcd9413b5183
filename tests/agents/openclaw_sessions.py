"""Writes OpenClaw transcripts in the formats of the real client, as files and as a database, and reads them back."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import zstandard

from wisen.agents.openclaw import OpenClaw
from wisen.model.event import Event, Outcome
from wisen.model.source import Batch, Source, SourceMark
from wisen.testing.agent_contract import read_all

SESSIONS = Path(".openclaw", "agents", "main", "sessions")

Json = dict[str, Any]

SCHEMA = """
CREATE TABLE session_nodes (
  session_key TEXT NOT NULL PRIMARY KEY, current_session_id TEXT NOT NULL, entry_json TEXT NOT NULL,
  updated_at INTEGER NOT NULL, created_via TEXT, parent_session_key TEXT, spawned_by TEXT
) STRICT;
CREATE TABLE session_windows (
  session_id TEXT NOT NULL PRIMARY KEY, session_key TEXT NOT NULL, created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, hook_external_content_source TEXT, chat_type TEXT, channel TEXT,
  parent_session_key TEXT, spawned_by TEXT
) STRICT;
CREATE TABLE transcript_events (
  session_id TEXT NOT NULL, seq INTEGER NOT NULL, event_json TEXT, created_at INTEGER NOT NULL, event_zstd BLOB,
  event_utf8_bytes INTEGER, navigation_json TEXT, PRIMARY KEY (session_id, seq),
  CHECK ((event_json IS NOT NULL AND event_zstd IS NULL)
    OR (event_json IS NULL AND event_zstd IS NOT NULL AND event_utf8_bytes BETWEEN 1 AND 4194304
        AND navigation_json IS NOT NULL))
) STRICT;
"""


class Transcript:
    """One session. Each method appends what OpenClaw would; ids and times follow from the session's number."""

    def __init__(self, number: int = 1, *, version: int = 3, cwd: str = "/home/ada/orchard") -> None:
        self.session = str(UUID(int=number << 64))
        self.version = version
        self.at = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.records: list[Json | bytes] = []
        self.last: str | None = None
        self._number = number
        self._count = 0
        head: Json = {"type": "session", "id": self.session, "timestamp": self._stamp(), "cwd": cwd}
        self.records.append(head if version == 1 else {**head, "version": version})

    def prompt(self, text: str, **fields: object) -> str:
        """A message in the user's place; returns the record's id."""
        content: object = text if self.version > 3 else [{"type": "text", "text": text}]
        return self.message("user", content, **fields)

    def say(self, text: str, stop: str = "stop") -> str:
        """Prose of the assistant."""
        return self.message("assistant", [{"type": "text", "text": text}], stopReason=stop)

    def call(self, tool: str, identity: str | None = None, **arguments: object) -> str:
        """A tool call; returns its id."""
        identity = identity or f"call_{self._number:06d}{self._count:014d}"
        block = {"type": "toolCall", "id": identity, "name": tool, "arguments": arguments}
        self.message("assistant", [block], stopReason="toolUse")
        return identity

    def result(self, call: str, text: str, tool: str = "exec", details: object = None, *, error: bool = False) -> str:
        """A tool's result."""
        content = [{"type": "text", "text": text}]
        more = {} if details is None else {"details": details}
        return self.message("toolResult", content, toolCallId=call, toolName=tool, isError=error, **more)

    def end(self, call: str, output: str, exit_code: int = 0) -> None:
        """The result of a shell command, which is never marked as an error."""
        text = f"{output}\n\n(Command exited with code {exit_code})" if exit_code else output
        self.result(call, text, details={"status": "completed", "exitCode": exit_code, "aggregated": text})

    def shell(self, command: str, output: str = "", exit_code: int = 0) -> str:
        """A shell command with its result; returns the call's id."""
        call = self.call("exec", command=command)
        self.end(call, output, exit_code)
        return call

    def message(self, role: str, content: object, **fields: object) -> str:
        """A message of any role."""
        return self.entry("message", message={"role": role, "content": content, **fields})

    def entry(self, kind: str, **fields: object) -> str:
        """A record of any type behind the last one."""
        self._count += 1
        self.at += timedelta(seconds=7)
        long = str(UUID(int=(self._number << 64) + self._count))
        identity = long if self.version > 3 else f"{self._number:02x}{self._count:06x}"
        linked: Json = {} if self.version == 1 else {"id": identity, "parentId": self.last}
        message = fields.get("message")
        if isinstance(message, dict):
            message.setdefault("timestamp", int(self.at.timestamp() * 1000) - 5)
        self.records.append({"type": kind, **linked, "timestamp": self._stamp(), **fields})
        self.last = identity
        return identity

    def lines(self) -> list[bytes]:
        """The records as OpenClaw writes them: without a space."""
        return [record if isinstance(record, bytes) else dumps(record) for record in self.records]

    def data(self) -> bytes:
        """The whole file."""
        return b"".join(line + b"\n" for line in self.lines())

    def write(self, folder: Path) -> Path:
        """The file that OpenClaw would keep in this folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.session}.jsonl"
        path.write_bytes(self.data())
        return path

    def _stamp(self) -> str:
        return self.at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Database:
    """An agent's database, as version 23 lays it out."""

    def __init__(self, home: Path, *, user_version: int = 23) -> None:
        self.path = home / ".openclaw" / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
        if not self.path.exists():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.execute("PRAGMA journal_mode=WAL")
            self.execute(f"PRAGMA user_version={user_version}")
            with closing(sqlite3.connect(self.path)) as database:
                database.executescript(SCHEMA)

    def execute(self, query: str, *values: object) -> None:
        """Change it."""
        with closing(sqlite3.connect(self.path)) as database, database:
            database.execute(query, values)

    def save(self, transcript: Transcript, key: str = "agent:main:main", **window: object) -> None:
        """Append the rows that are not there yet."""
        session = transcript.session
        with closing(sqlite3.connect(self.path)) as database, database:
            node = {"session_key": key, "current_session_id": session, "entry_json": "{}", "updated_at": 1}
            _insert(database, "session_nodes", node)
            _insert(database, "session_windows", {"session_id": session, "session_key": key, **window})
            count = "SELECT count(*) FROM transcript_events WHERE session_id = ?"
            (there,) = database.execute(count, (session,)).fetchone()
            for seq, line in list(enumerate(transcript.lines()))[there:]:
                _insert(database, "transcript_events", {"session_id": session, "seq": seq, **payload(line)})


def payload(line: bytes) -> Json:
    """The cells of an event: packed when it is long, as OpenClaw does."""
    packed = zstandard.ZstdCompressor(level=1, write_checksum=True).compress(line)
    if not 1024 <= len(line) <= 4 << 20 or len(packed) > len(line) * 0.9:
        return {"event_json": line.decode("utf-8"), "event_utf8_bytes": len(line)}
    return {"event_zstd": packed, "event_utf8_bytes": len(line), "navigation_json": '{"version":1}'}


def dumps(record: object) -> bytes:
    """JSON as OpenClaw writes it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _insert(database: sqlite3.Connection, table: str, cells: Json) -> None:
    if table != "session_nodes":
        cells = {"created_at": 1, **cells}
    if table == "session_windows":
        cells = {"updated_at": 1, **cells}
    marks = ", ".join("?" * len(cells))
    database.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(cells)}) VALUES ({marks})", tuple(cells.values()))


def read(transcript: Transcript, home: Path, key: str = "agent:main:main") -> tuple[list[Event], list[tuple[str, str]]]:
    """What is found in a transcript, kept as its version keeps it."""
    if transcript.version > 3:
        Database(home).save(transcript, key)
    else:
        transcript.write(home / SESSIONS)
        (home / SESSIONS / "sessions.json").write_text(json.dumps({key: {"sessionId": transcript.session}}))
    events, problems = read_all(OpenClaw(home, {}))
    return events, [(problem.kind.value, problem.detail) for problem in problems]


def mark_of(source: Source, batch: Batch) -> SourceMark:
    """How far a batch brought us."""
    return SourceMark(size=source.size, modified_ns=source.modified_ns, cursor=batch.cursor)


class Following:
    """Reads on, a look at a time."""

    def __init__(self, home: Path) -> None:
        self.agent = OpenClaw(home, {})
        self.marks: dict[Path, SourceMark] = {}

    def look(self) -> list[Event]:
        """What is new since the last look."""
        events: list[Event] = []
        for source in self.agent.sources():
            for batch in self.agent.read(source, self.marks.get(source.path)):
                events += batch.events
                self.marks[source.path] = mark_of(source, batch)
        return events


def outcomes(events: list[Event]) -> list[Outcome]:
    """How the calls ended."""
    return [event for event in events if isinstance(event, Outcome)]
