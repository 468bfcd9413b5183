"""The real Hermes as a model: it answers, has no tools, and our own plug-in in it says and learns nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents.client_sandbox import Person, block_network
from tests.agents.clients import program
from tests.agents.hermes_client import Client
from tests.agents.scripted_model import Turn, serving
from wisen.agents.hermes import Hermes
from wisen.language_models.answer_format import build_prompt
from wisen.language_models.command_model import CommandModel
from wisen.model.event import Message
from wisen.safety.sentinel import strip
from wisen.testing.agent_contract import read_all
from wisen.testing.port_contracts import harmless

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.needs("hermes"), pytest.mark.requirement("C8")]


def test_the_real_client_answers_as_a_model(tmp_path: Path) -> None:
    question = harmless("are pears ripe?")
    with serving({"are pears ripe?": [Turn('{"ok": true}')]}) as server, block_network() as (ways, _):
        client = Client(program("hermes"), tmp_path, server.address)
        client.environment.update(ways)
        person = Person(client.home, client.project, client.environment)
        person.wisen("install", "hermes")
        client.enable()
        # Where a user has it: the environment that was made for these tests is taken for a project's.
        programs = tmp_path / "bin"
        programs.mkdir()
        (programs / "hermes").symlink_to(program("hermes"))
        environment = client.environment | {"PATH": f"{programs}:{client.environment['PATH']}"}
        model = CommandModel("hermes", environment, person.home, lambda: "S1")
        reply = model.respond(build_prompt(question, question.material), 120)
        person.cycle()
        learnt = person.wisen("status")
    assert reply.text == '{"ok": true}'
    asked = [body for body in server.requests if "are pears ripe?" in str(body)]
    assert asked
    assert all(not body.get("tools") for body in asked)
    assert not (person.home / "spool" / "beats").exists(), "our own hooks worked in it"
    events, _ = read_all(Hermes(client.home, {}))
    messages = [each.text for each in events if isinstance(each, Message)]
    assert [strip(text or "").strip() for text in messages] == [""] * len(messages), "what we ask is read as the user's"
    assert "0 sessions" in learnt or "No sessions" in learnt, learnt
