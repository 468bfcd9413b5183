"""The real Claude Code as a model: it answers, has no tools, and leaves no session behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agents.clients import claude_code
from tests.agents.record_claude_code import Client
from tests.agents.scripted_model import Turn, serving
from wisen.language_models.answer_format import build_prompt
from wisen.language_models.command_model import CommandModel
from wisen.testing.port_contracts import harmless

pytestmark = [pytest.mark.needs("claude-code"), pytest.mark.requirement("C8")]


def test_the_real_client_answers_as_a_model(tmp_path: Path) -> None:
    question = harmless("are pears ripe?")
    with serving({"are pears ripe?": [Turn('{"ok": true}')]}) as server:
        client = Client(claude_code(), tmp_path, server.address)
        # Where a user has it: the folder that npm made for these tests is taken for a project's.
        programs = tmp_path / "bin"
        programs.mkdir()
        (programs / "claude").symlink_to(claude_code())
        environment = client.environment | {"PATH": f"{programs}:{claude_code().parent}:{client.environment['PATH']}"}
        model = CommandModel("claude", environment, client.home / "wisen", lambda: "S1")
        reply = model.respond(build_prompt(question, question.material), 90)
    assert reply.text == '{"ok": true}'
    assert (reply.tokens_in, reply.tokens_out) == (10, 5)
    assert reply.money is not None
    assert client.transcripts() == []
    asked = [body for body in server.requests if "are pears ripe?" in str(body)]
    assert asked
    assert all(_tools(body) == [] for body in asked)


def _tools(body: Any) -> list[object]:
    return list(body.get("tools") or [])
