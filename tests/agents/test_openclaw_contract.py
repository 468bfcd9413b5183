"""OpenClaw passes the reader contract, with files and with a database."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.openclaw_sessions import Database, Transcript
from wisen.agents.agent_ports import Agent
from wisen.agents.openclaw import OpenClaw
from wisen.testing.agent_contract import AgentContract, SessionWriter

pytestmark = pytest.mark.requirement("F1")


class OpenClawScribe:
    """Tells stories as OpenClaw writes them down; a subclass says where."""

    version = 3

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = OpenClaw(home, {})
        self.home = home
        self.number = number
        self.main = Transcript(number, version=self.version)
        self.others: list[Transcript] = []

    def prompt(self, text: str) -> None:
        self.main.prompt(text)

    def say(self, text: str) -> None:
        self.main.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self.main.shell(command, output, exit_code)

    def ask(self, command: str) -> str:
        return self.main.call("exec", command=command)

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self.main.end(call, output, exit_code)

    def interrupt(self) -> None:
        self.main.say("", stop="aborted")

    def inject(self, text: str) -> None:
        self.main.entry("custom_message", customType="memory", content=text, display=False)
        self.main.message("custom", text, customType="openclaw.runtime-context")
        self.main.entry("compaction", summary=text, firstKeptEntryId="00000000", tokensBefore=1)
        self.main.entry("branch_summary", fromId="00000000", summary=text)
        self.main.prompt(text, provenance={"kind": "inter_session", "sourceTool": "sessions_send"})
        self.main.prompt(f"System: [2026-03-02 09:00:00 UTC] {text}")
        self.main.prompt(f"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n{text}\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>")

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        other = Transcript(self.number + 100, version=self.version)
        other.prompt(prompt)
        other.shell(command, "", exit_code)
        self.others.append(other)

    def garbage(self) -> None:
        self.main.records.append(b'{"type":"message","id":"00000000","mess')

    def save(self) -> None:
        raise NotImplementedError


class FileScribe(OpenClawScribe):
    """Until 2026.7: one file a session, and an index that tells their keys."""

    def save(self) -> None:
        folder = self.home / ".openclaw" / "agents" / "main" / "sessions"
        self.main.write(folder)
        index = folder / "sessions.json"
        keys = json.loads(index.read_text()) if index.exists() else {}
        keys[f"agent:main:telegram:direct:{self.number}"] = {"sessionId": self.main.session}
        for number, other in enumerate(self.others):
            other.write(folder)
            keys[f"agent:main:subagent:{number}"] = {"sessionId": other.session}
        index.write_text(json.dumps(keys))


class RowScribe(OpenClawScribe):
    """Since 2026.8: rows of one database."""

    version = 4

    def save(self) -> None:
        database = Database(self.home)
        database.save(self.main, f"agent:main:telegram:direct:{self.number}")
        for number, other in enumerate(self.others):
            database.save(other, f"agent:main:subagent:{number}", spawned_by="agent:main:main")


class TestFiles(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: FileScribe(number, tmp_path)


class TestRows(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: RowScribe(number, tmp_path)
