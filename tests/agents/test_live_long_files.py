"""The real Claude Code in a project with a long CLAUDE.md: a rule approved in the chat is read once from its place."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.agents.client_sandbox import Person, texts
from tests.agents.clients import claude_code
from tests.agents.record_claude_code import Client
from tests.agents.scripted_model import Script, Turn, serving
from wisen.testing.transcripts import ClaudeTranscript

SCRIPT: Script = {
    "approve 1": [Turn("I will ask.")],
    "say hello": [Turn("Hello.")],
    "go on": [Turn("Yes.")],
}
RULE = "pnpm instead of npm"


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("S6")
def test_a_rule_approved_in_the_chat_to_the_rules_folder_is_in_the_next_request_once(tmp_path: Path) -> None:
    with serving(SCRIPT) as model:
        client = Client(claude_code(), tmp_path, model.address)
        person = Person(client.home, client.project, client.environment)

        def asked(*words: str) -> str:
            before = len(model.requests)
            client.run(*words)
            return "\n".join(texts(request.get("messages")) for request in model.requests[before:])

        long = "".join(f"Line {number} of what the team wrote.\n" for number in range(300))
        (person.project / "CLAUDE.md").write_text(long)
        for number in (1, 2):
            log = ClaudeTranscript(number, cwd=str(person.project), start=datetime(2026, 3, number, tzinfo=UTC))
            log.prompt("run the tests")
            log.bash("npm test", "npm error", exit_code=1)
            log.prompt(f"no, from now on always use {RULE}")
            log.write(client.home / ".claude" / "projects" / "earlier")
        person.wisen("install", "claude-code", "--yes")
        person.cycle()
        delivered = asked("approve 1")
        assert "Line 299 of what the team wrote." in delivered, "it reads the whole file, however long it is"
        assert "Not done, 1 still waits:" in delivered
        assert "has 300 lines" in delivered
        session = max(client.transcripts(), key=lambda path: path.stat().st_mtime).stem
        delivered = asked("approve 1 to .claude/rules", "--resume", session)
        assert "Noted" in delivered
        person.cycle()
        rules = person.project / ".claude" / "rules" / "wisen.md"
        assert rules.read_text().count(RULE) == 1
        assert (person.project / "CLAUDE.md").read_text() == long
        delivered = asked("go on", "--resume", session)
        assert "wisen.md now says: “" in delivered, "what was done is told where it was asked"
        delivered = asked("say hello")
        assert delivered.count(RULE) == 1, "the file tells it, and the hook does not"
        assert f"Contents of {rules}" in delivered
        person.wisen("undo", "--yes") if "--yes" in person.wisen("undo", "--help") else person.wisen("undo")
        assert not rules.exists(), "a file of ours goes when nothing is left in it"
        assert asked("say hello").count(f"Contents of {rules}") == 0
