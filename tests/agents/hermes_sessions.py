"""Writes Hermes sessions in the format of the real client: message rows of schema 22."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from wisen.agents.hermes import Hermes
from wisen.model.event import Event
from wisen.testing.agent_contract import read_all

SCHEMA = """
CREATE TABLE schema_version (version INTEGER NOT NULL);
CREATE TABLE state_meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, chat_type TEXT, model_config TEXT,
  parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, cwd TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT,
  tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT,
  observed INTEGER DEFAULT 0, active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0,
  api_content TEXT);
"""


class Talk:
    """One session. Each method appends what Hermes would; ids and times follow from the session's number."""

    def __init__(self, number: int = 1, **about: object) -> None:
        self.session = f"20260302_09{number // 60:02d}{number % 60:02d}_{number:06x}"
        self.about = {"source": "cli", "cwd": "/home/ada/orchard", "started_at": 1_772_442_000.0, **about}
        self.at = 1_772_442_000.0
        self.rows: list[dict[str, object]] = []
        self._number = number
        self._saved = 0

    def prompt(self, text: str | None, **cells: object) -> None:
        """A message in the user's place."""
        self.row("user", text, api_content=f"{text}\n\nwhat a hook added", **cells)

    def say(self, text: str) -> None:
        """Prose of the assistant."""
        self.row("assistant", text, finish_reason="stop")

    def ask(self, tool: str = "terminal", **arguments: object) -> str:
        """A call; returns its id."""
        call = f"call_{self._number:06d}{len(self.rows):014d}"
        function = {"name": tool, "arguments": json.dumps(arguments)}
        asked = [{"id": call, "call_id": call, "type": "function", "function": function}]
        self.row("assistant", "", tool_calls=json.dumps(asked), finish_reason="tool_calls")
        return call

    def result(self, call: str, content: object, tool: str = "terminal") -> None:
        """What a tool answered."""
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        self.row("tool", text, tool_call_id=call, tool_name=tool)

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        """The end of a shell command."""
        self.result(call, {"output": output, "exit_code": exit_code, "error": None})

    def shell(self, command: str, output: str = "", exit_code: int = 0) -> str:
        """A shell command with its end; returns the call's id."""
        call = self.ask(command=command)
        self.answer(call, output, exit_code)
        return call

    def row(self, role: str, content: str | None, **cells: object) -> None:
        """A row of any kind."""
        self.at += 7
        self.rows.append({"role": role, "content": content, "timestamp": self.at, **cells})

    def save(self, home: Path, folder: str = ".hermes") -> Path:
        """Append the rows that are not there yet."""
        path = home / folder / "state.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as database, database:
            if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                database.execute("PRAGMA journal_mode=WAL")
                database.executescript(SCHEMA)
            _insert(database, "sessions", {"id": self.session, **self.about})
            for row in self.rows[self._saved :]:
                _insert(database, "messages", {"session_id": self.session, **row})
        self._saved = len(self.rows)
        return path


def _insert(database: sqlite3.Connection, table: str, cells: dict[str, object]) -> None:
    marks = ", ".join("?" * len(cells))
    database.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(cells)}) VALUES ({marks})", tuple(cells.values()))


def read(talk: Talk, home: Path, *, program_prompts: bool = False) -> tuple[list[Event], list[tuple[str, str]]]:
    """What is found in a session."""
    talk.save(home)
    events, problems = read_all(Hermes(home, {}, program_prompts=program_prompts))
    return events, [(problem.kind.value, problem.detail) for problem in problems]
