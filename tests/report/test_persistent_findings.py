"""A finding stays until it changes or is decided, and each decision names the command for it."""

from __future__ import annotations

import shlex
from datetime import timedelta
from pathlib import Path

import pytest

import wisen
from tests.blame.test_blame import AFTER, BEFORE, BEGAN, CHANGED, git, write_sessions
from tests.commands import run
from wisen.model.report import Report
from wisen.surfaces.cli.render import describe_open_decision

pytestmark = pytest.mark.requirement("X4", "S6")

RULE = "Always prefix commands with `rtk`."
LINE = str(AFTER.splitlines().index(RULE) + 1)


def project_of(home: Path) -> Path:
    """A repository whose CLAUDE.md got a line with which failures began, and sessions before and after."""
    project = home / "work" / "shop"
    project.mkdir(parents=True)
    git(project, "init", "-q")
    for text, at in ((BEFORE, BEGAN - timedelta(days=1)), (AFTER, CHANGED)):
        (project / "CLAUDE.md").write_text(text)
        git(project, "add", "-A")
        git(project, "commit", "-qm", "x", at=at)
    write_sessions(home / ".claude" / "projects" / "shop", project)
    return project


def learn() -> Report:
    with wisen.open_learner() as learner:
        return learner.learn()


def test_a_second_run_with_nothing_new_tells_the_same_findings(home: Path) -> None:
    project_of(home)
    first, second = learn(), learn()
    assert first.new_events > 0 == second.new_events
    assert [each.line.line.text for each in first.decisions if each.line] == [RULE]
    assert second.instructions == first.instructions
    assert second.decisions == first.decisions
    assert (second.failures, second.fixes, second.themes) == (first.failures, first.fixes, first.themes)
    assert second.proposals == first.proposals
    with wisen.open_learner() as learner:
        assert [each.line.line.number for each in learner.status().findings if each.line] == [int(LINE)]
    assert f"line {LINE}" in run("status").stdout
    assert f"line {LINE}" in run("review").stdout


def test_a_changed_file_is_judged_again_although_no_session_is_new(home: Path) -> None:
    project = project_of(home)
    assert [each.line for each in learn().decisions if each.line]
    (project / "CLAUDE.md").write_text(BEFORE)
    with wisen.open_learner() as learner:
        assert learner.status().findings == ()
    assert not [each.line for each in learn().decisions if each.line]
    (project / "CLAUDE.md").write_text(f"{BEFORE}And the apples.\n{RULE}\n")
    with wisen.open_learner() as learner:
        assert [each.line.line.number for each in learner.learn().decisions if each.line] == [int(LINE) + 1]


def test_the_command_of_a_line_takes_it_out_and_undo_brings_it_back(home: Path) -> None:
    project = project_of(home)
    before = (project / "CLAUDE.md").read_bytes()
    (decision,) = [each for each in learn().decisions if each.line]
    command = shlex.split(describe_open_decision(decision).command)
    assert describe_open_decision(decision).command in run("learn").stdout
    assert command[0] == "wisen"
    output = run(*command[1:], "--dry-run").stdout
    assert "1 line would be removed" in output
    assert (project / "CLAUDE.md").read_bytes() == before
    run(*command[1:])
    assert (project / "CLAUDE.md").read_bytes() == before.replace(RULE.encode() + b"\n", b"")
    assert not [each.line for each in learn().decisions if each.line]
    run("undo", "--yes")
    assert (project / "CLAUDE.md").read_bytes() == before


def test_a_line_that_is_kept_is_not_brought_up_again(home: Path) -> None:
    project = project_of(home)
    learn()
    run("blame", project / "CLAUDE.md", "--line", LINE, "--keep")
    assert not [each.line for each in learn().decisions if each.line]
    assert f"line {LINE}" not in run("status").stdout
    assert RULE in (project / "CLAUDE.md").read_text()


def test_the_command_of_a_fix_has_it_delivered_and_it_is_decided_then(home: Path) -> None:
    project = project_of(home)
    run_of_fix = [each for each in learn().decisions if each.fix]
    (project / "CLAUDE.md").unlink()
    found = run_of_fix or [each for each in learn().decisions if each.fix]
    assert found
    command = shlex.split(describe_open_decision(found[0]).command)
    run(*command[1:])
    again = learn()
    assert found[0].fix is not None
    assert found[0].fix.id not in [each.fix.id for each in again.decisions if each.fix]


def test_what_is_forgotten_is_gone_from_kept_findings(home: Path) -> None:
    project_of(home)
    learn()
    page = home / "wisen" / "reports" / "instruction-files.msgpack"
    assert b"rtk" in page.read_bytes()
    with wisen.open_learner() as learner:
        learner.forgetting.forget("rtk", scope="all")
    assert not page.exists() or b"rtk" not in page.read_bytes()


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff\xfe", b'{"version":1}', b"[]"])
def test_a_damaged_page_of_findings_is_written_again(home: Path, damage: bytes) -> None:
    project_of(home)
    first = learn()
    page = home / "wisen" / "reports" / "instruction-files.msgpack"
    page.write_bytes(damage)
    with wisen.open_learner() as learner:
        assert learner.status().findings == ()
    assert learn().instructions == first.instructions
    assert page.read_bytes() != damage


@pytest.mark.parametrize(
    "lines", [["--line", "99"], [], ["--line", "0"], ["--line", LINE, "--keep"], ["--line", LINE, "--unused"]]
)
def test_a_line_that_cannot_be_taken_out_is_named(home: Path, lines: list[str]) -> None:
    project = project_of(home)
    learn()
    before = (project / "CLAUDE.md").read_bytes()
    done = run("blame", project / "CLAUDE.md", *lines, "--remove", expect=1)
    assert done.stderr.startswith("wisen: ")
    assert (project / "CLAUDE.md").read_bytes() == before


def test_a_removal_is_undone_although_the_file_was_changed_since(home: Path) -> None:
    project = project_of(home)
    learn()
    run("blame", project / "CLAUDE.md", "--line", LINE, "--remove")
    (project / "CLAUDE.md").write_text(f"Hello.\n{BEFORE}And the apples.\n")
    run("undo", "--yes")
    assert (project / "CLAUDE.md").read_text() == f"Hello.\n{BEFORE}{RULE}\nAnd the apples.\n"
