"""A workspace prepared by an attacker: reading, learning and editing in it runs none of its code."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands import run
from tests.rules.test_preferences_file import prefer


@pytest.fixture
def workspace(home: Path) -> Path:
    """An OpenClaw workspace under git, with a preference that was stated in it."""
    folder = home / ".openclaw" / "workspace"
    folder.mkdir(parents=True)
    _git(folder, "init", "-q", "-b", "main")
    return folder


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.needs("git")
@pytest.mark.requirement("X7")
def test_a_repository_that_names_programs_has_none_run_by_a_cycle_a_decision_or_its_undoing(
    home: Path, workspace: Path
) -> None:
    canary, evil = home / "was-run", home / "evil"
    evil.write_text(f"#!/bin/sh\necho x >> {canary}\n")
    evil.chmod(0o755)
    (workspace / "USER.md").write_text("# Me\n")
    (workspace / "CLAUDE.md").write_text("# Rules\n")
    (workspace / ".gitattributes").write_text("* filter=evil diff=evil\n")
    _git(workspace, "add", "CLAUDE.md")
    _git(workspace, "commit", "-q", "-m", "x")
    for key in ("core.fsmonitor", "core.pager", "filter.evil.clean", "diff.evil.textconv", "core.sshCommand"):
        _git(workspace, "config", key, str(evil))
    prefer(workspace)
    run("cycle")
    assert not canary.exists()
    waiting = [each for each in json.loads(run("proposals", "--json").stdout)["proposals"] if each["answer"] is None]
    for each in waiting:
        run("proposals", "show", each["id"])
        run("proposals", "approve", each["id"], "--dry-run")
        run("proposals", "approve", each["id"])
    run("changes")
    run("undo", "--yes")
    run("cycle")
    run("blame", str(workspace / "CLAUDE.md"))
    assert not canary.exists()


@pytest.mark.needs("git")
@pytest.mark.requirement("X7")
@pytest.mark.requirement("S6")
@pytest.mark.parametrize("tracked", [True, False])
def test_a_linked_file_of_a_workspace_is_never_written_to_elsewhere(home: Path, workspace: Path, tracked: bool) -> None:
    precious = home / "precious"
    precious.write_text("alias ls='ls -l'\n")
    (workspace / "USER.md").symlink_to("../../precious")
    if tracked:
        _git(workspace, "add", "USER.md")
        _git(workspace, "commit", "-q", "-m", "x")
    prefer(workspace)
    output = run("cycle").stdout
    assert "applied by policy" not in output
    (waiting,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert waiting["leads_to"] == str(precious)
    shown = run("proposals", "show", waiting["id"]).stdout
    assert "It cannot be written:" in shown
    assert str(precious) in shown.replace("\n", "")
    for dry in (["--dry-run"], []):
        refused = run("proposals", "approve", waiting["id"], *dry, expect=1).stderr
        assert "is a link to" in " ".join(refused.split())
    assert precious.read_text() == "alias ls='ls -l'\n"
    assert "has not changed any of your files" in run("changes").stdout


@pytest.mark.needs("git")
@pytest.mark.requirement("S6")
def test_a_link_inside_the_workspace_is_asked_about_and_shown_before_it_is_followed(
    home: Path, workspace: Path
) -> None:
    (workspace / "notes.md").write_text("# Me\n")
    (workspace / "USER.md").symlink_to("notes.md")
    prefer(workspace)
    run("cycle")
    (waiting,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert waiting["waits"]
    output = run("proposals", "approve", waiting["id"]).stdout
    assert "notes.md" in output
    assert "Answer in short sentences." in (workspace / "notes.md").read_text()
    assert (workspace / "USER.md").is_symlink()
    assert "notes.md" in run("changes").stdout
    run("undo", "--yes")
    assert (workspace / "notes.md").read_text() == "# Me\n"
