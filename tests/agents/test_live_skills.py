"""Real clients load a skill that was made from recorded sessions, and Claude Code is told the workflow."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.agents import (
    gemini_client,
    hermes_client,
    openclaw_client,
    opencode_client,
    record_claude_code,
    record_codex,
)
from tests.agents.client_sandbox import Person
from tests.agents.clients import claude_code, program
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from wisen.testing.transcripts import ClaudeTranscript

COMMANDS = (
    "npm test",
    "docker build -t registry.orchard.example/pears:{0} .",
    "git tag v{0}",
    "docker push registry.orchard.example/pears:{0}",
    "curl -fsS https://staging.orchard.example/health?version={0}",
)
NAME = "deploy-staging"
WORDS = "deploy 9.9.9 to staging"


def _deploys(person: Person, logs: Path) -> None:
    """Six sessions with a deploy, which a person had read and made a skill of."""
    for number in range(6):
        version = f"1.{number}.0"
        at = datetime.now(UTC) - timedelta(days=7 - number)
        log = ClaudeTranscript(number + 1, cwd=str(person.project), start=at)
        log.prompt(f"deploy {version} to staging")
        for command in COMMANDS:
            log.bash(command.format(version), "done")
        log.prompt("thanks, that works")
        log.write(logs)
    person.cycle()


def _approve_skill(person: Person) -> Path:
    proposals = json.loads(person.wisen("proposals", "--json"))["proposals"]
    (proposal,) = [each for each in proposals if each["type"] == "skill"]
    person.wisen("proposals", "approve", proposal["id"])
    return Path(proposal["path"])


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("F5", "F6", "S13", "X5")
def test_claude_code_loads_the_skill_by_itself_and_is_told_how_it_was_done_before(tmp_path: Path) -> None:
    script: Script = {WORDS: [Turn("", (Use("Skill", {"skill": NAME}),)), Turn("Deployed.")]}
    with serving(script) as model:
        client = record_claude_code.Client(
            claude_code(), tmp_path, model.address, settings={"permissions": {"allow": ["Skill"]}}
        )
        person = Person(client.home, client.project, client.environment)
        person.wisen("install", "claude-code")
        _deploys(person, client.home / ".claude" / "projects" / "earlier")
        skill = _approve_skill(person)
        assert skill == client.project / ".claude" / "skills" / NAME / "SKILL.md"
        person.cycle()
        told = _requests_of(model, lambda: client.run(WORDS))
    assert any(f"{NAME}: " in each for each in told), "the client lists the skill with its description"
    assert any("was done before (in 6 sessions" in each for each in told), "the prompt was told the workflow"
    assert any("docker push registry.orchard.example/pears:{version}" in each for each in told), "it was loaded"


class World(NamedTuple):
    """A client, and how it is asked."""

    home: Path
    project: Path
    environment: dict[str, str]
    run: Callable[[str], object]
    skills: Path


def _codex(world: Path, address: str) -> World:
    client = record_codex.Client(program("codex"), world, address)
    return World(client.home, client.project, client.environment, client.run, client.project / ".agents" / "skills")


def _gemini(world: Path, address: str) -> World:
    client = gemini_client.Client(program("gemini-cli"), world, address)
    client.trust(client.project)
    return World(client.home, client.project, client.environment, client.run, client.project / ".agents" / "skills")


def _opencode(world: Path, address: str) -> World:
    client = opencode_client.Client(program("opencode"), world, address)
    return World(client.home, client.project, client.environment, client.run, client.project / ".agents" / "skills")


def _openclaw(world: Path, address: str) -> World:
    client = openclaw_client.Client("openclaw", world, address)
    run = partial(client.run, "s1")
    return World(client.home, client.project, client.environment, run, client.project / "skills")


def _hermes(world: Path, address: str) -> World:
    client = hermes_client.Client(program("hermes"), world, address)
    skills = client.folder / "skills" / "workflows"
    return World(client.home, client.project, client.environment, client.ask, skills)


@pytest.mark.parametrize(
    ("agent", "make"),
    [
        pytest.param("codex", _codex, marks=pytest.mark.needs("codex")),
        pytest.param("gemini-cli", _gemini, marks=pytest.mark.needs("gemini-cli")),
        pytest.param("opencode", _opencode, marks=pytest.mark.needs("opencode")),
        pytest.param("openclaw", _openclaw, marks=pytest.mark.needs("openclaw")),
        pytest.param("hermes", _hermes, marks=pytest.mark.needs("hermes")),
    ],
)
@pytest.mark.requirement("F5", "F6", "S13", "X5")
def test_another_client_lists_the_skill_by_itself(
    agent: str, make: Callable[[Path, str], World], tmp_path: Path
) -> None:
    script: Script = {WORDS: [Turn("Deployed.")]}
    with serving(script) as model:
        world = make(tmp_path, model.address)
        person = Person(world.home, world.project, world.environment)
        _deploys(person, world.home / ".claude" / "projects" / "earlier")
        proposals = json.loads(person.wisen("proposals", "--json"))["proposals"]
        (proposal,) = [each for each in proposals if each["type"] == "skill"]
        person.wisen("proposals", "approve", proposal["id"], "--to", agent)
        assert (world.skills / NAME / "SKILL.md").exists()
        told = _requests_of(model, lambda: world.run(WORDS))
    assert any(NAME in each and "The steps for this task" in each for each in told), "the client lists the skill"


def _requests_of(model: Model, run: Callable[[], object]) -> list[str]:
    before = len(model.requests)
    run()
    return [json.dumps(each, ensure_ascii=False) for each in model.requests[before:]]
