"""OpenHands passes the reader contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.openhands_events import Conversation
from wisen.agents.agent_ports import Agent
from wisen.agents.openhands import OpenHands
from wisen.testing.agent_contract import AgentContract, SessionWriter

pytestmark = pytest.mark.requirement("F1")


class OpenHandsScribe:
    """Tells stories as OpenHands writes them down."""

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = OpenHands(home, {})
        self._talk = Conversation(number, home / ".openhands" / "conversations")
        self._number = number
        self._others: list[Conversation] = []
        self._talk.begin()

    def prompt(self, text: str) -> None:
        self._talk.prompt(text)

    def say(self, text: str) -> None:
        self._talk.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self._talk.shell(command, output, exit_code)

    def ask(self, command: str) -> str:
        return self._talk.call("terminal", command=command, security_risk="LOW", summary="do it")

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._talk.observe(call, output, exit_code=exit_code)

    def interrupt(self) -> None:
        self._talk.event("InterruptEvent", "user")

    def inject(self, text: str) -> None:
        self._talk.event("HookExecutionEvent", "hook", additional_context=text, hook_event_type="UserPromptSubmit")
        self._talk.message("The task appears incomplete (iteration 1, so it is said).\n" + text)
        self._talk.message(text, source="environment")
        self._talk.message("  ", added=text)
        self._talk.event("CondensationSummaryEvent", "environment", summary=text)

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        other = Conversation(self._number + 100, self._talk.folder / "subagents")
        other.message(prompt, sender="main")
        other.shell(command, "", exit_code)
        self._others.append(other)

    def garbage(self) -> None:
        self._talk.put(b'{"id": "1", "timestamp": "2026-03-02T09:00:00", "source": "user", "llm_mess')

    def save(self) -> None:
        for each in (self._talk, *self._others):
            each.save()


class TestOpenHands(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: OpenHandsScribe(number, tmp_path)
