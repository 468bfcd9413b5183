"""Writes opencode sessions in the format of the real client: rows of messages, and parts that are updated in place."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from wisen.agents.opencode import OpenCode
from wisen.model.event import Event
from wisen.testing.agent_contract import read_all

Json = dict[str, Any]
SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
  directory text NOT NULL, title text NOT NULL, version text NOT NULL, permission text,
  time_created integer NOT NULL, time_updated integer NOT NULL);
CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL);
CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
  time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
CREATE INDEX part_session_idx ON part (session_id);
"""
RUN = [{"permission": name, "pattern": "*", "action": "deny"} for name in ("question", "plan_enter", "plan_exit")]
UPSERT = " ON CONFLICT (id) DO UPDATE SET data = excluded.data, time_updated = excluded.time_updated"


class Talk:
    """One session. Each method adds or changes what opencode would; ids and times follow from the session's number."""

    def __init__(self, number: int = 1, *, parent: str | None = None, permission: object = None) -> None:
        self.session = f"ses_{number:026d}"
        self.at = self.created = 1_772_442_000_000
        self.parent = parent
        self.permission = permission
        self.messages: dict[str, Json] = {}
        self.parts: dict[str, tuple[str, Json | str]] = {}
        self._number = number

    def prompt(self, text: str, **fields: object) -> str:
        """A message in the user's place; returns its part's id."""
        return self.part(self.message("user"), {"type": "text", "text": text, **fields})

    def say(self, text: str) -> str:
        """Prose of the assistant, which is over; returns its message's id."""
        message = self.message("assistant")
        self.part(message, {"type": "step-start"})
        self.part(message, {"type": "text", "text": text, "time": {"start": self.tick(), "end": self.tick()}})
        self.over(message)
        return message

    def ask(self, tool: str = "bash", **arguments: object) -> str:
        """A call that goes on; returns its part's id."""
        message = self.message("assistant")
        self.part(message, {"type": "step-start"})
        call = f"call_{self._number:06d}{len(self.parts):014d}"
        state = {"status": "running", "input": arguments, "time": {"start": self.tick()}}
        return self.part(message, {"type": "tool", "tool": tool, "callID": call, "state": state})

    def end(self, part: str, status: str = "completed", **state: object) -> None:
        """The end of a call."""
        message, known = self.parts[part]
        assert isinstance(known, dict)
        ended = {**known["state"], "status": status, **state}
        ended["time"] = {**ended["time"], "end": self.tick()}
        self.parts[part] = (message, {**known, "state": ended})
        self.over(message)

    def answer(self, part: str, output: str, exit_code: int = 0) -> None:
        """The end of a shell command."""
        self.end(part, output=output, title="x", metadata={"output": output, "exit": exit_code, "truncated": False})

    def shell(self, command: str, output: str = "", exit_code: int = 0) -> str:
        """A shell command with its end; returns its part's id."""
        part = self.ask(command=command)
        self.answer(part, output, exit_code)
        return part

    def abort(self, part: str) -> None:
        """The user stopped the agent while a call ran."""
        self.end(part, "error", error="Tool execution aborted", metadata={"interrupted": True})
        message = self.parts[part][0]
        self.messages[message]["error"] = {"name": "MessageAbortedError", "data": {"message": "x"}}

    def message(self, role: str) -> str:
        """A message without parts; returns its id."""
        identity = f"msg_{self._number:06d}{len(self.messages):020d}"
        self.messages[identity] = {"role": role, "time": {"created": self.tick()}}
        if role == "assistant":
            self.messages[identity]["path"] = {"cwd": "/home/ada/orchard", "root": "/"}
        return identity

    def over(self, message: str) -> None:
        """Nothing more comes in this message."""
        self.messages[message]["time"]["completed"] = self.tick()

    def part(self, message: str, data: Json | str) -> str:
        """A part of a message; returns its id."""
        identity = f"prt_{self._number:06d}{len(self.parts):020d}"
        self.parts[identity] = (message, data)
        return identity

    def tick(self) -> int:
        """A later moment."""
        self.at += 7_000
        return self.at

    def save(self, home: Path, name: str = "opencode.db") -> Path:
        """Bring the database up to date, as opencode would: rows are put in or changed, never moved."""
        path = home / ".local" / "share" / "opencode" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as database, database:
            if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                database.execute("PRAGMA journal_mode=WAL")
                database.executescript(SCHEMA)
            rules = json.dumps(self.permission) if self.permission else None
            row = (
                self.session,
                "global",
                self.parent,
                "x",
                "/home/ada/orchard",
                "x",
                "1",
                rules,
                self.created,
                self.at,
            )
            database.execute(f"INSERT OR IGNORE INTO session VALUES ({', '.join('?' * 10)})", row)
            for identity, message in self.messages.items():
                cells = (identity, self.session, message["time"]["created"], self.at, json.dumps(message))
                database.execute(f"INSERT INTO message VALUES (?, ?, ?, ?, ?){UPSERT}", cells)
            for identity, (of, data) in self.parts.items():
                shown = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
                part = (identity, of, self.session, self.at, self.at, shown)
                database.execute(f"INSERT INTO part VALUES (?, ?, ?, ?, ?, ?){UPSERT}", part)
        return path


def read(talk: Talk, home: Path, *, program_prompts: bool = False) -> tuple[list[Event], list[tuple[str, str]]]:
    """What is found in a session."""
    talk.save(home)
    events, problems = read_all(OpenCode(home, {}, program_prompts=program_prompts))
    return events, [(problem.kind.value, problem.detail) for problem in problems]
