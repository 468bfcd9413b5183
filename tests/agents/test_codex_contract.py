"""Codex passes the reader contract, in the formats of 2026 and 2025."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agents.codex_rollouts import OldRollout, Rollout
from wisen.agents.agent_ports import Agent
from wisen.agents.codex import Codex
from wisen.testing.agent_contract import AgentContract, SessionWriter

pytestmark = pytest.mark.requirement("F1")


class CodexScribe:
    """Tells stories as Codex writes them down."""

    def __init__(self, number: int, home: Path, kind: type[Rollout]) -> None:
        self.agent: Agent = Codex(home, {})
        self._home = home
        self._kind = kind
        self._rollout = kind(number)
        self._others: list[Rollout] = []

    def prompt(self, text: str) -> None:
        self._rollout.prompt(text)

    def say(self, text: str) -> None:
        self._rollout.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self._rollout.shell(command, output, exit_code)

    def ask(self, command: str) -> str:
        return self._rollout.ask(command)

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._rollout.answer(call, output, exit_code)

    def interrupt(self) -> None:
        self._rollout.interrupt()

    def inject(self, text: str) -> None:
        self._rollout.inject(text)

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        parent = self._rollout.thread
        source = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1}}}
        sub = self._kind(77, meta={"source": source, "session_id": parent})
        sub.prompt(prompt)
        sub.shell(command, "", exit_code)
        self._others.append(sub)

    def garbage(self) -> None:
        self._rollout.raw(b'{"timestamp":"2026-03-02T09:00:00.000Z","type":"event_msg","payl')

    def save(self) -> None:
        for rollout in (self._rollout, *self._others):
            rollout.write(self._home)


class TestCodex(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: CodexScribe(number, tmp_path, Rollout)


class TestCodexOf2025(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: CodexScribe(number, tmp_path, OldRollout)
