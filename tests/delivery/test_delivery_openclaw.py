"""Delivery to OpenClaw: one block for all turns, again after a reset, and fixes learned from other agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents.openclaw_sessions import Database, Transcript
from tests.commands import run
from tests.hooks import fire, hook_answer, write_lesson_sessions
from wisen import app
from wisen.model.exposure import Exposure

SAID = "shopctl: error: unrecognized option '--wait'\n\n(Command exited with code 2)"
FIXED = "`shopctl deploy --wait` → `shopctl deploy`"


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which sessions of Claude Code taught something, and in which one is."""
    folder = home / "shop"
    write_lesson_sessions(home, folder)
    monkeypatch.chdir(folder)
    run("cycle", "--quick")
    return folder


@pytest.fixture
def wisen(home: Path) -> Path:
    return home / "wisen"


def delivered_block(wisen: Path, project: Path, source: str, session: str = "s") -> str:
    return fire(
        wisen, "session-start", {"session_id": session, "cwd": str(project), "source": source}, agent="openclaw"
    )


def failed(project: Path, session: str = "s") -> dict[str, object]:
    """A failed call, as the plug-in tells it."""
    call = {"tool_name": "exec", "tool_input": {"command": "shopctl deploy --wait --to berlin"}, "tool_use_id": "c1"}
    return {"session_id": session, "cwd": str(project), **call, "error": SAID}


def exposures(session: str) -> list[Exposure]:
    run("cycle", "--quick")
    with app.wire().learner(reads=False) as learner:
        return list(learner.home.ledger.exposures.all(session=session))


@pytest.mark.requirement("X5")
def test_the_block_of_every_turn_is_the_same_and_counts_once(wisen: Path, project: Path) -> None:
    first = delivered_block(wisen, project, "again")
    assert "pnpm instead of npm" in first
    assert delivered_block(wisen, project, "again") == first
    rows = exposures("s")
    assert rows
    assert {(row.agent, row.event) for row in rows} == {("openclaw", "session-start")}
    assert len({row.subject for row in rows}) == len(rows)
    assert delivered_block(wisen, project, "again") == first, "a cycle changes nothing in a session that goes on"
    assert exposures("s") == rows


def test_a_session_that_was_cleared_under_its_own_name_gets_everything_again(wisen: Path, project: Path) -> None:
    delivered_block(wisen, project, "again")
    assert FIXED in fire(wisen, "failure", failed(project), agent="openclaw")
    assert fire(wisen, "failure", failed(project), agent="openclaw") == ""
    before = len(exposures("s"))
    (project / "CLAUDE.md").write_text("- from now on always use pnpm instead of npm\n")
    run("cycle", "--quick")
    assert "pnpm instead of npm" in delivered_block(wisen, project, "clear")
    assert FIXED in fire(wisen, "failure", failed(project), agent="openclaw")
    assert len(exposures("s")) > before


@pytest.mark.requirement("F4")
def test_a_fix_that_is_known_from_another_agents_shell_is_delivered_for_its_own(wisen: Path, project: Path) -> None:
    answer = hook_answer(wisen, "failure", failed(project), agent="openclaw")
    assert FIXED in str(answer["additionalContext"])
    (row,) = exposures("s")
    assert (row.agent, row.event) == ("openclaw", "failure")


@pytest.mark.parametrize("file", ["AGENTS.md", "USER.md", "MEMORY.md"])
def test_what_a_file_of_its_workspace_tells_is_not_delivered_again(wisen: Path, project: Path, file: str) -> None:
    (project / file).write_text("- from now on always use pnpm instead of npm\n")
    run("cycle", "--quick")
    assert "pnpm instead of npm (R-" not in delivered_block(wisen, project, "again")
    event = {"session_id": "c", "cwd": str(project), "source": "startup"}
    assert "pnpm instead of npm (R-" in fire(wisen, "session-start", event)


def test_a_file_that_only_claude_code_reads_tells_openclaw_nothing(wisen: Path, project: Path) -> None:
    (project / "CLAUDE.md").write_text("- from now on always use pnpm instead of npm\n")
    run("cycle", "--quick")
    assert "pnpm instead of npm (R-" in delivered_block(wisen, project, "again")


def test_a_guard_may_ask_there(wisen: Path, project: Path) -> None:
    run("guards", "add", "ask shell: shopctl burn")
    call = {"tool_name": "exec", "tool_input": {"command": "shopctl burn"}, "tool_use_id": "c1"}
    answer = hook_answer(wisen, "before-call", {"session_id": "s", "cwd": str(project), **call}, agent="openclaw")
    assert answer["permissionDecision"] == "ask"
    assert "before the user has said yes" in str(answer["permissionDecisionReason"])


@pytest.mark.requirement("X10")
def test_installing_says_what_the_plugin_may_see_and_leaves_projects_alone(home: Path, project: Path) -> None:
    settings = home / ".openclaw" / "openclaw.json"
    settings.parent.mkdir()
    settings.write_bytes(b"{gateway: {port: 1}}\n")
    shown = " ".join(run("install", "openclaw", "--dry-run").stdout.split())
    assert "allowConversationAccess lets the plug-in see" in shown
    assert settings.read_bytes() == b"{gateway: {port: 1}}\n"
    assert not (home / "wisen" / "plugins").exists()
    assert "leave out --scope project" in run("install", "openclaw", "--scope", "project", expect=1).stderr
    installed = json.loads(run("install", "openclaw", "--json").stdout)
    assert installed["is"] == "installed"
    assert "allowConversationAccess" in installed["grants"]
    run("guards", "add", "deny shell: shopctl burn")
    assert "Nothing to change." in run("install", "openclaw").stdout, "a guard needs no other settings"
    found = json.loads(run("agents", "--json").stdout)["agents"]
    assert next(each["hooks"]["state"] for each in found if each["name"] == "openclaw") == "installed"
    plugin = home / ".openclaw" / "extensions" / "wisen"
    assert f'"{home / "wisen"}"' in settings.read_text()
    assert (plugin / "index.js").stat().st_nlink == 1, "OpenClaw loads no hard links"
    (plugin / "index.js").unlink()
    (plugin / "package.json").unlink()
    broken = json.loads(run("agents", "--json").stdout)["agents"]
    hooks = next(each["hooks"] for each in broken if each["name"] == "openclaw")
    assert hooks["state"] == "broken"
    assert [each.rpartition(f"/{plugin.name}/")[2] for each in hooks["faults"]] == [
        "index.js is missing, or not from this version of wisen",
        "package.json is missing, or not from this version of wisen",
    ]  # fmt: skip
    assert json.loads(run("install", "openclaw", "--json").stdout)["is"] == "installed"
    run("uninstall", "openclaw")
    assert settings.read_bytes() == b"{gateway: {port: 1}}\n"
    assert not (plugin / "index.js").exists()


@pytest.mark.requirement("X10")
def test_a_session_that_began_without_the_plugin_is_reported(home: Path, project: Path) -> None:
    run("install", "openclaw")
    later = Transcript(7, version=4, cwd=str(project))
    head = later.records[0]
    assert isinstance(head, dict)
    head["timestamp"] = "2099-01-01T00:00:00.000Z"
    Database(home).save(later)
    assert "openclaw hooks: none has fired yet, and a session began 2099-01-01" in run("doctor", expect=4).stdout
