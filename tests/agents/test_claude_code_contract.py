"""Claude Code passes the reader contract."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from wisen.agents.agent_ports import Agent
from wisen.agents.claude_code import ClaudeCode
from wisen.testing.agent_contract import AgentContract, SessionWriter
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F1")


class ClaudeScribe:
    """Tells stories as Claude Code writes them down."""

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = ClaudeCode(home, {})
        self._folder = home / ".claude" / "projects" / "-home-ada-orchard"
        self._transcript = ClaudeTranscript(number)

    def prompt(self, text: str) -> None:
        self._transcript.prompt(text)

    def say(self, text: str) -> None:
        self._transcript.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self._transcript.bash(command, output, exit_code=exit_code)

    def ask(self, command: str) -> str:
        return self._transcript.call("Bash", command=command)

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        if exit_code:
            self._transcript.fail(call, f"Exit code {exit_code}\n{output}")
        else:
            self._transcript.ok(call, output)

    def interrupt(self) -> None:
        self._transcript.interrupt()

    def inject(self, text: str) -> None:
        self._transcript.prompt(text, isMeta=True)
        self._transcript.raw(
            {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [text]}}
        )

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        self._transcript.prompt(prompt, isSidechain=True, agentId="a1")
        block = {"type": "tool_use", "id": "toolu_sub", "name": "Bash", "input": {"command": command}}
        message = {"role": "assistant", "content": [block]}
        self._transcript.add_record({"type": "assistant", "message": message, "isSidechain": True, "agentId": "a1"})
        result = {"tool_use_id": "toolu_sub", "type": "tool_result", "content": f"Exit code {exit_code}"}
        self._transcript.prompt([{**result, "is_error": exit_code != 0}], isSidechain=True, agentId="a1")

    def garbage(self) -> None:
        self._transcript.raw(b'{"type":"user","message":{"con')

    def save(self) -> None:
        self._transcript.write(self._folder)


class TestClaudeCode(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: ClaudeScribe(number, tmp_path)
