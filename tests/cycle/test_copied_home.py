"""A copied home works on its own: nothing in the place it was copied from is read or written."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.commands import AS_PERSON, run
from tests.hooks import fire, write_lesson_sessions
from wisen.testing.transcripts import ClaudeTranscript

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ada(home: Path) -> Path:
    """A user with a project, hooks in an agent, a rule in a file and proposals."""
    write_lesson_sessions(home, home / "shop")
    (home / ".claude" / "settings.json").write_text("{}\n")
    run("install", "claude-code")
    run("cycle", "--quick")
    run("proposals", "approve", "1")
    run("cycle", "--quick")
    return home


def copied(ada: Path, bob: Path) -> dict[str, str]:
    """A copy of the home of one user in the folder of another, and the environment there."""
    bob.mkdir()
    shutil.copytree(ada / "wisen", bob / "wisen", symlinks=True)
    return {**os.environ, "HOME": str(bob), "WISEN_HOME": str(bob / "wisen")}


def tree(folder: Path) -> str:
    """Every file below a folder with its content and its date, as one digest."""
    found = hashlib.blake2b()
    for path in sorted(folder.rglob("*")):
        found.update(f"{path.relative_to(folder)} {path.lstat().st_mtime_ns} {path.lstat().st_mode}".encode())
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


TRACED = """
import contextlib, io, json, runpy, sys
places, log, program, commands = sys.argv[1:]
def heard(event, arguments):
    if event in ("open", "sqlite3.connect") or event.startswith("os."):
        if any(isinstance(each, (str, bytes)) and places in str(each) for each in arguments):
            with open(log, "a") as file:
                print(event, arguments[0], file=file)
sys.addaudithook(heard)
outputs = {}
for words in json.loads(commands):
    sys.argv, sys.stdin, out = [program, *words.split()], io.StringIO("y\\n\\n" * 9), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), contextlib.suppress(SystemExit):
        runpy.run_path(program, run_name="__main__")
    outputs[words] = out.getvalue()
print(json.dumps(outputs))
"""
"""Runs a program with several commands and records what it opens, lists or changes below a place."""


def traced(place: Path, environment: Mapping[str, str], cwd: Path, *commands: str, log: Path) -> dict[str, str]:
    """What each command prints."""
    program = [sys.executable, "-c", TRACED, str(place), str(log), AS_PERSON[1], json.dumps(commands)]
    done = subprocess.run(
        program,
        cwd=cwd,
        env={**environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout, done.stdout
    outputs: dict[str, str] = json.loads(done.stdout)
    return outputs


@pytest.mark.requirement("N2")
@pytest.mark.parametrize("stays", [True, False])
def test_a_copied_home_works_for_another_user_and_touches_nothing_of_the_first(
    ada: Path, tmp_path: Path, stays: bool
) -> None:
    bob = tmp_path / "bob"
    environment = copied(ada, bob)
    if not stays:
        shutil.rmtree(ada)
    before, log = tree(ada), tmp_path / "touched"
    commands = ("doctor", "cycle --quick", "review", "rules --all", "changes", "undo --dry-run", "status")
    output = traced(ada, environment, bob, *commands, log=log)
    assert not log.exists(), log.read_text()
    assert tree(ada) == before
    assert "pnpm instead of npm" in output["rules --all"], "what was learned is kept"
    assert "1 project has no folder here (they were seen on another machine, or by another user)" in output["doctor"]
    assert str(ada) not in output["undo --dry-run"], "a decision can be taken back, and no file of the first user's"
    remover = subprocess.run(
        [sys.executable, bob / "wisen" / "remove-hooks.py"],
        env=environment,
        check=False,
        capture_output=True,
        text=True,
    )
    assert str(ada) not in remover.stdout
    assert tree(ada) == before
    (bob / "shop").mkdir()
    delivered = fire(bob / "wisen", "session-start", {"session_id": "s", "cwd": str(bob / "shop"), "source": "startup"})
    assert "pnpm" not in delivered, "another folder is another project"


@pytest.mark.requirement("N2")
def test_going_back_to_the_first_user_finds_everything_as_it_was(ada: Path, tmp_path: Path) -> None:
    first = (ada / "wisen" / "machine").read_text()
    elsewhere = {**os.environ, "HOME": str(tmp_path)}
    for _ in range(2):
        run("cycle", "--quick", env=elsewhere)
    assert len(sorted((ada / "wisen").glob("machine-????????????????"))) == 1
    assert (ada / "wisen" / "machine").read_text() == first
    run("undo", "--yes")
    assert "pnpm" not in (ada / "shop" / "CLAUDE.md").read_text() if (ada / "shop" / "CLAUDE.md").exists() else True


@pytest.mark.requirement("N2")
def test_a_home_that_was_moved_by_its_user_keeps_its_projects_and_leaves_the_old_place_alone(
    ada: Path, tmp_path: Path
) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(ada / "wisen", moved, symlinks=True)
    environment = {**os.environ, "WISEN_HOME": str(moved)}
    before, log = tree(ada / "wisen"), tmp_path / "touched"
    commands = ("doctor", "cycle --quick", "review", "status")
    doctor = traced(ada / "wisen", environment, ada / "shop", *commands, log=log)["doctor"]
    assert not log.exists(), log.read_text()
    assert tree(ada / "wisen") == before
    assert f"they work for another home, {ada / 'wisen'}" in doctor
    assert "wisen install claude-code" in doctor
    traced(ada / "wisen", environment, ada / "shop", "undo --yes", log=log)
    file = ada / "shop" / "CLAUDE.md"
    assert not file.exists() or "pnpm" not in file.read_text(), "the project is the same"


def test_a_proposal_for_a_book_of_the_old_home_goes_to_the_book_of_this_one(ada: Path, tmp_path: Path) -> None:
    """A project whose folder is gone has its rules in the home: approving must not write into the old one."""
    for number in (7, 8):
        log = ClaudeTranscript(number, cwd=str(ada / "gone"))
        log.prompt("look around")
        log.bash("ls")
        log.prompt("no, from now on always use bun instead of npm")
        log.write(ada / ".claude" / "projects" / "gone")
    run("learn")
    waiting = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert [each for each in waiting if each["path"].startswith(str(ada / "wisen"))]
    moved = tmp_path / "moved"
    shutil.copytree(ada / "wisen", moved, symlinks=True)
    before = tree(ada / "wisen")
    environment = {**os.environ, "WISEN_HOME": str(moved)}
    traced(ada / "wisen", environment, ada, "review", log=tmp_path / "touched")
    assert not (tmp_path / "touched").exists()
    assert tree(ada / "wisen") == before
    rules = "".join(path.read_text() for path in (moved / "contexts").glob("*/rules.md"))
    assert "bun instead of npm" in rules
