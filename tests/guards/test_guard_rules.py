"""Rules that were delivered but not followed become guard proposals, with every violation as evidence."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.commands import run
from tests.guard_scenarios import open_learner
from tests.hooks import fire
from wisen.model.guard import GuardSource, Mode
from wisen.testing.transcripts import ClaudeTranscript


def now() -> datetime:
    """The moment of asking: a suite may run for longer than the minutes that count here."""
    return datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(autouse=True)
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def session(home: Path, project: Path, number: int, *commands: str, minutes: int) -> str:
    """A session of a few minutes ago in which commands ran, each for a prompt of its own."""
    log = ClaudeTranscript(number, cwd=str(project), start=now() - timedelta(minutes=minutes))
    for each in commands:
        log.prompt("go on")
        log.bash(each, "done")
    log.write(home / ".claude" / "projects" / "shop")
    return log.session


def state_preference(home: Path, project: Path) -> None:
    """The user stated a preference days ago, and it is known from then on."""
    log = ClaudeTranscript(1, cwd=str(project), start=now() - timedelta(days=3))
    log.prompt("install the packages")
    log.bash("npm ci", "added 3")
    log.prompt("no, from now on always use pnpm instead of npm")
    log.bash("pnpm i", "added 3")
    log.write(home / ".claude" / "projects" / "shop")
    run("cycle", "--quick")


def start_session(home: Path, project: Path, number: int) -> None:
    """Deliver the rule to a session at its start."""
    native = ClaudeTranscript(number).session
    begun = {"session_id": native, "cwd": str(project), "source": "startup"}
    assert "pnpm instead of npm" in fire(home / "wisen", "session-start", begun)


@pytest.mark.requirement("X3")
def test_a_rule_that_was_delivered_and_broken_twice_becomes_a_proposal_with_both_times(
    home: Path, project: Path
) -> None:
    state_preference(home, project)
    later = -5  # what is told now is told before what is done in five minutes
    session(home, project, 2, "npm run build", "npm test", minutes=later)
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        assert learner.guards.all() == (), "it was not delivered to that session"
        start_session(home, project, 3)
        session(home, project, 3, "npm run build", minutes=later)
        learner.cycle(quick=True)
        assert learner.guards.all() == (), "once is not enough"
        start_session(home, project, 4)
        session(home, project, 4, "npm test", minutes=later)
        learner.cycle(quick=True)
        (guard,) = learner.guards.all()
        (asked,) = [
            each.proposal for each in learner.proposals.all() if each.is_waiting and each.proposal.type == "guard"
        ]
    assert (guard.mode, guard.guard.source, guard.guard.watch, guard.guard.better) == (
        Mode.SHADOW,
        GuardSource.RULE,
        "shell: npm",
        "pnpm",
    )
    first, *times = asked.why.splitlines()[:3]
    assert "pnpm instead of npm” was delivered and still broken 2 times:" in first
    assert times[0].endswith(": npm run build")
    assert times[1].endswith(": npm test")
    assert "claude-code" in times[0]


@pytest.mark.requirement("X3")
@pytest.mark.needs("git")
def test_every_rule_of_a_file_that_was_not_kept_is_proposed(home: Path, project: Path) -> None:
    (project / "CLAUDE.md").write_text(
        "# Shop\n\n- Use pnpm, not npm.\n- Never run `make deploy`.\n- Use uv, not pip.\n"
    )
    born = (now() - timedelta(days=9)).isoformat()
    environment = {"PATH": os.environ["PATH"], "GIT_COMMITTER_DATE": born, "GIT_AUTHOR_DATE": born}
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "x")):
        command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", *arguments]
        subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)
    session(home, project, 1, "npm ci", "make deploy", "pip list", minutes=90)
    session(home, project, 2, "npm test", "make deploy", minutes=60)
    with open_learner(home) as learner:
        learner.cycle()
        found = {each.guard.watch: each.guard for each in learner.guards.all()}
    assert sorted(found) == ["shell: make deploy", "shell: npm"]
    assert found["shell: npm"].reason == "Use pnpm, not npm."
    assert found["shell: npm"].of == str(project / "CLAUDE.md")
