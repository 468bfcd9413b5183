"""Gemini CLI passes the reader contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.gemini_chats import Chat
from wisen.agents.agent_ports import Agent
from wisen.agents.gemini_cli import GeminiCli
from wisen.testing.agent_contract import AgentContract, SessionWriter

pytestmark = pytest.mark.requirement("F1")


class GeminiScribe:
    """Tells stories as Gemini CLI writes them down."""

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = GeminiCli(home, {})
        self._home = home
        self._number = number
        self._chat = Chat(number)
        self._others: list[Chat] = []
        self._last = ""

    def prompt(self, text: str) -> None:
        self._chat.prompt(text)

    def say(self, text: str) -> None:
        self._chat.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self._chat.shell(command, output, exit_code)

    def ask(self, command: str) -> str:
        self._last = self._chat.ask(command=command)
        return self._last

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._chat.answer(call, output, exit_code)

    def interrupt(self) -> None:
        self._chat.cancel(self._last)

    def inject(self, text: str) -> None:
        known = {"id": "x", "timestamp": "2026-03-02T09:00:00Z", "type": "user"}
        self._chat.patch(messages=[{**known, "content": [{"text": text}]}])
        self._chat.prompt(f"<hook_context>{text}</hook_context>")
        self._chat.prompt(f"<state_snapshot>\n{text}\n</state_snapshot>")
        self._chat.prompt([{"functionResponse": {"id": "x", "response": {"output": text}}}, {"text": text}])

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        other = Chat(self._number + 100, kind="subagent")
        other.prompt(prompt)
        other.shell(command, "", exit_code)
        self._others.append(other)

    def garbage(self) -> None:
        self._chat.lines.append(b'{"id":"00000000","timestamp":"2026-03-02T09:00:00.000Z","type":"user","cont')

    def save(self) -> None:
        self._chat.write(self._home)
        for other in self._others:
            other.write(self._home, self._chat.session)


class TestGeminiCli(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: GeminiScribe(number, tmp_path)
