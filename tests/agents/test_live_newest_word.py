"""The real Claude Code: the next session gets the user's newest statement, and nothing of a rule they dropped."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.agents.client_sandbox import Person, texts
from tests.agents.clients import claude_code
from tests.agents.record_claude_code import Client
from tests.agents.scripted_model import Turn, serving
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = [pytest.mark.needs("claude-code"), pytest.mark.needs("git")]

SCRIPT = {"say hello": [Turn("Hello.")], "from now on": [Turn("I will.")]}


def _git(project: Path, environment: dict[str, str], *words: str) -> None:
    who = {f"GIT_{role}_{name}": "ada@example.org" for role in ("AUTHOR", "COMMITTER") for name in ("NAME", "EMAIL")}
    subprocess.run(
        ["git", *words], cwd=project, env={**os.environ, **environment, **who}, check=True, capture_output=True
    )


@pytest.mark.requirement("S7", "S9", "X5")
def test_the_next_session_hears_the_newest_word_and_nothing_of_a_dropped_rule(tmp_path: Path) -> None:
    with serving(SCRIPT) as model:
        client = Client(claude_code(), tmp_path, model.address, settings={"permissions": {"allow": ["Bash(ls:*)"]}})
        person, claude = Person(client.home, client.project, client.environment), client.project / "CLAUDE.md"

        def start() -> str:
            """What the model is told in a new session, besides what the client reads from files."""
            before = len(model.requests)
            client.run("say hello")
            delivered = "\n".join(texts(each.get("messages")) for each in model.requests[before:])
            return "\n".join(line for line in delivered.splitlines() if "wisen:R-" not in line)

        claude.write_text("# Shop\n")
        _git(client.project, client.environment, "init", "-q", "-b", "main")
        for number in (1, 2, 3):
            at = datetime.now(UTC) - timedelta(days=number)
            log = ClaudeTranscript(number, cwd=str(client.project), start=at)
            log.prompt("run the tests")
            log.bash("npm test", "npm error", exit_code=1)
            log.prompt("no, always use pnpm, not npm")
            log.write(client.home / ".claude" / "projects" / "earlier")
        person.wisen("install", "claude-code")
        person.cycle()
        person.approve("Always use pnpm")
        assert "- Always use pnpm, not npm <!-- wisen:R-" in claude.read_text()
        _git(client.project, client.environment, "add", ".")
        _git(client.project, client.environment, "commit", "-qm", "add rule")
        client.run("from now on use bun, not pnpm")
        person.cycle()
        delivered = start()
        assert "use bun, not pnpm" in delivered
        assert "Always use pnpm" not in delivered
        assert "Always use pnpm" in claude.read_text(), "nothing is written without a yes"
        person.approve("bun")
        assert "use bun, not pnpm" in claude.read_text()
        assert "Always use pnpm" not in claude.read_text()
        person.cycle()
        _git(client.project, client.environment, "commit", "-qam", "another rule")
        person.cycle()
        claude.write_text("# Shop\n")
        _git(client.project, client.environment, "commit", "-qam", "drop rule")
        person.cycle()
        delivered = start()
        assert "bun" not in delivered
        assert "pnpm" not in delivered
        assert "you took it out of" in person.wisen("rules")
        assert "you took it out of" in person.wisen("review")
