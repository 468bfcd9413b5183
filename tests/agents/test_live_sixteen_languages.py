"""The real Claude Code: requests in sixteen languages are proposed, and delivered in the user's own words."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.agents.client_sandbox import Person, texts
from tests.agents.clients import claude_code
from tests.agents.record_claude_code import Client
from tests.agents.scripted_model import Turn, serving
from tests.standing_requests import STANDING
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.needs("claude-code")


@pytest.mark.requirement("S1", "S5", "C2", "X5")
def test_a_lasting_wish_in_each_language_is_proposed_and_delivered_in_a_later_session(tmp_path: Path) -> None:
    with serving({"say hello": [Turn("Hello.")]}) as model:
        client = Client(claude_code(), tmp_path, model.address)
        person = Person(client.home, client.project, client.environment)
        for number in (1, 2, 3):
            log = ClaudeTranscript(number, cwd=str(client.project), start=datetime.now(UTC) - timedelta(days=number))
            for words in STANDING.values():
                log.prompt("look at the next file")
                log.bash("ls src", "a.py")
                log.prompt(words)
            log.write(client.home / ".claude" / "projects" / "earlier")
        person.wisen("install", "claude-code")
        person.cycle()
        proposals = json.loads(person.wisen("proposals", "--json"))["proposals"]
        proposed = {code for code, words in STANDING.items() for each in proposals if _is_in(words, each["text"])}
        assert proposed == set(STANDING)
        assert len(proposals) == len(STANDING)
        for each in proposals:
            person.wisen("proposals", "approve", each["id"])
        person.cycle()
        before = len(model.requests)
        client.run("say hello")
        delivered = "\n".join(texts(each) for each in model.requests[before:])
        assert [code for code, words in STANDING.items() if not _is_in(words, delivered)] == []


def _is_in(words: str, text: str) -> bool:
    """Whether a text holds words as they were typed, but for the size of their first letter."""
    return words.replace("bitte ", "").casefold()[1:] in text.replace("bitte ", "").casefold()
