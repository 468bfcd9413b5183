"""Blame end to end: from a repository and its sessions to the effect of each line of an instruction file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import wisen
from wisen.learner import Learner
from wisen.model.instruction import Strength
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X4")
NOW = datetime.now(UTC).replace(microsecond=0)
BEGAN = NOW - timedelta(days=60)
CHANGED = NOW - timedelta(days=30)
BEFORE = "# Project\n\nRun the tests with `bun test`.\nNever use `npm`.\nKeep `docs/old.md` up to date.\n"
AFTER = BEFORE + "Always prefix commands with `rtk`.\n"


def git(project: Path, *arguments: str, at: datetime = BEGAN) -> None:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_COMMITTER_DATE": at.isoformat(),
        "GIT_AUTHOR_DATE": at.isoformat(),
    }
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", *arguments]
    subprocess.run(command, cwd=project, env=environment, check=True, capture_output=True)


def write_sessions(folder: Path, project: Path) -> None:
    """Forty sessions, one every 36 hours; from the change on every second one stumbles over the prefix."""
    for number in range(40):
        start = BEGAN + timedelta(hours=36 * number)
        session = ClaudeTranscript(number + 1, cwd=str(project), start=start)
        session.prompt("go on")
        if start > CHANGED and number % 2:
            session.bash("rtk bun test", "error: unrecognized subcommand 'bun'\n\nUsage: rtk <COMMAND>", exit_code=2)
        if number % 3 == 0:
            session.bash(f"cat missing{number}", "cat: missing: No such file or directory", exit_code=1)
        for kind in range(6):
            if (number + kind) % 11 == 0:
                session.bash(f"tool{kind} x", f"tool{kind}: bad thing happened, cannot go on", exit_code=1)
        session.bash("bun test", "5 pass")
        if number % 10 == 0:
            session.bash("npm install", "added 3")
        session.write(folder)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def in_git(project: Path) -> Path:
    git(project, "init", "-q")
    for text, at in ((BEFORE, BEGAN - timedelta(days=1)), (AFTER, CHANGED)):
        (project / "CLAUDE.md").write_text(text)
        git(project, "add", "-A")
        git(project, "commit", "-qm", "x", at=at)
    return project


@pytest.fixture
def learner(tmp_path: Path) -> Iterator[Learner]:
    with wisen.open_learner(tmp_path / "home", environment={"HOME": str(tmp_path), **_path()}) as opened:
        yield opened


def _undated(text: str) -> str:
    return " ".join(re.sub(r"\d{4}-\d\d-\d\d", "DAY", text).split())


def _path() -> dict[str, str]:
    return {"PATH": os.environ["PATH"]}


def test_a_line_that_failures_began_with_is_named_in_the_report_and_by_blame(
    in_git: Path, learner: Learner, tmp_path: Path
) -> None:
    write_sessions(tmp_path / ".claude" / "projects" / "p", in_git)
    report = learner.learn()
    (file,) = report.instructions
    (effect,) = file.speaking
    assert effect.strength is Strength.BEGAN
    assert effect.line.text == "Always prefix commands with `rtk`."
    assert effect.signature is not None
    assert effect.signature.description == "rtk: unknown subcommand"
    assert effect.before is not None
    assert effect.after is not None
    assert (effect.before.sessions, effect.after.sessions) == (0, 10)
    assert report.decisions[0].line == effect

    blame = learner.blame.get(in_git / "CLAUDE.md")
    effects = {each.line.text: each for each in blame.effects}
    assert effects["Always prefix commands with `rtk`."].strength is Strength.BEGAN
    assert effects["Keep `docs/old.md` up to date."].strength is Strength.NEVER
    assert effects["Run the tests with `bun test`."].relevant == 40
    assert effects["Never use `npm`."].violated == 4
    evidence = learner.blame.evidence_of(effect)
    assert len(evidence) == 10
    assert "unrecognized subcommand" in evidence[0].said


def test_the_command_shows_it_as_text_page_and_json(
    in_git: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from typer.testing import CliRunner

    from wisen.surfaces.cli import app

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("WISEN_HOME", str(tmp_path / "home"))
    write_sessions(tmp_path / ".claude" / "projects" / "p", in_git)
    cli, file, page = CliRunner(), str(in_git / "CLAUDE.md"), tmp_path / "blame.html"
    learnt = cli.invoke(app, ["learn"])
    assert "Worth deciding now" in learnt.stdout
    assert "Always prefix commands" in " ".join(learnt.stdout.split())
    shown = cli.invoke(app, ["blame", file])
    assert shown.exit_code == 0
    assert "began with it" in shown.stdout
    assert "confirmed" not in shown.stdout
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    excerpt = readme[readme.index("line cost since") :].partition("```")[0]
    for line in filter(None, map(_undated, excerpt.splitlines())):
        assert line in _undated(shown.stdout), line
    assert "rtk bun test" in cli.invoke(app, ["blame", file, "--line", "6"]).stdout
    assert cli.invoke(app, ["blame", file, "--html", str(page)]).exit_code == 0
    assert "Always prefix commands" in page.read_text()
    assert json.loads(cli.invoke(app, ["blame", file, "--json"]).stdout)["sessions"] == 40
    assert cli.invoke(app, ["blame", str(tmp_path / "no.md")]).exit_code != 0


def test_without_a_repository_learning_keeps_the_history(project: Path, learner: Learner, tmp_path: Path) -> None:
    file = project / "CLAUDE.md"
    logs = tmp_path / ".claude" / "projects" / "p"
    for number, text in enumerate((BEFORE, AFTER), start=1):
        file.write_text(text)
        when = (NOW - timedelta(days=3 - number)).timestamp()
        os.utime(file, (when, when))
        session = ClaudeTranscript(number, cwd=str(project), start=NOW - timedelta(days=3 - number))
        session.bash("bun test", "ok")
        session.write(logs)
        learner.learn()
    versions = learner.blame.get(file).file.versions
    assert [version.text for version in versions] == [BEFORE, AFTER]
    assert versions[0].origin == "snapshot"


def test_a_file_with_a_secret_is_not_kept(project: Path, learner: Learner, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (project / "CLAUDE.md").write_text(f"Use the token {secret} to push.\n")
    session = ClaudeTranscript(1, cwd=str(project))
    session.bash("ls", "x")
    session.write(tmp_path / ".claude" / "projects" / "p")
    learner.learn()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert secret.encode() not in kept
