"""A workspace that somebody else prepared: looking at it, learning in it and editing in it runs nothing of theirs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from tests.commands import run
from tests.scenarios.test_preferences_file import prefer


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
    run("undo")
    run("cycle")
    run("blame", str(workspace / "CLAUDE.md"))
    assert not canary.exists()
