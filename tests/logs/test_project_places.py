"""Agents that keep sessions inside projects: found wherever a session was seen, and where one points."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import wisen
from tests.agents.aider_chats import Project
from tests.ownership import adopt, make_repository
from wisen.model.signal import SignalKind
from wisen.surfaces.cli import app
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F1")


def chats(folder: Path) -> Project:
    """Three chats with the same mistake and the same correction."""
    project = Project(folder)
    for _ in range(3):
        project.start()
        project.prompt("run the tests")
        project.reply("I run them.")
        project.run("npm test")
        project.fail_edit("a.py")
        project.reply("There.")
        project.prompt("no, don't use npm here, use pnpm instead")
        project.reply("You're right, I should have used pnpm.")
        project.run("pnpm test")
    project.save()
    return project


def test_chats_are_learnt_from_once_the_user_adopted_them_and_from_then_on_by_themselves(home: Path) -> None:
    project = chats(home / "work" / "orchard")
    with wisen.open_learner() as learner:
        assert learner.learn().found["aider"] == 0
        assert any("wisen adopt" in line for line in learner.learn(project.folder).waiting)
    adopt(project.path)
    with wisen.open_learner() as learner:
        report = learner.learn(project.folder)
        again = learner.learn()
        project.prompt("no, don't use npm here, use pnpm instead")
        project.save()
        grown = learner.learn()
    assert report.troubles == ()
    assert (report.counts.sessions, report.counts.typed_turns) == (3, 6)
    assert report.signals[SignalKind.CORRECTION] == 3
    (failure,) = report.failures
    assert (failure.calls, failure.sessions) == (3, 3)
    assert (again.found["aider"], again.new_events, again.read_bytes) == (1, 0, 0)
    assert (grown.new_events, grown.counts.typed_turns) == (1, 7)


@pytest.mark.needs("git")
def test_they_are_found_at_the_top_of_a_repository_in_which_another_agent_worked(home: Path) -> None:
    top = home / "work" / "orchard"
    make_repository(top)
    (top / "src").mkdir()
    adopt(chats(top).path)
    session = ClaudeTranscript(cwd=str(top / "src"))
    session.prompt("hello")
    session.write(home / ".claude" / "projects" / "orchard")
    with wisen.open_learner() as learner:
        learner.learn()
        assert learner.learn().found["aider"] == 1
    result = CliRunner().invoke(app, ["agents", "--json"])
    (aider,) = [agent for agent in json.loads(result.stdout)["agents"] if agent["name"] == "aider"]
    assert (aider["sources"], aider["version"], aider["counts"]["typed_turns"]) == (1, "0.86.2", 6)


def test_a_project_that_is_switched_off_is_not_looked_into(home: Path) -> None:
    project = chats(home / "work" / "orchard")
    adopt(project.path)
    with wisen.open_learner() as learner:
        learner.learn(project.folder)
    (project.folder / ".wisen-off").touch()
    project.prompt("never again")
    project.save()
    with wisen.open_learner() as learner:
        report = learner.learn()
    assert (report.found["aider"], report.new_events) == (0, 0)
