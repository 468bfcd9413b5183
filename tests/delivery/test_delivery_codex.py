"""Delivery to Codex: the same content in its own format, and fixes for failures found in its rollout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.codex_rollouts import Rollout
from tests.commands import run
from tests.hooks import fire, hook_answer, without_questions, write_lesson_sessions
from wisen import app
from wisen.health.hook_health import HomeHookHealth

WRONG, SAID = "shopctl deploy --wait --to berlin", "shopctl: error: unrecognized option '--wait'"
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


def ended(log: Path, call: str, project: Path, command: str = WRONG, error: str = SAID) -> dict[str, object]:
    """A call that ended, as Codex tells it: what it printed, and not how it went."""
    where = {"session_id": "t1", "turn_id": "u", "transcript_path": str(log), "cwd": str(project)}
    called = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_response": error, "tool_use_id": call}
    return {**where, "hook_event_name": "PostToolUse", "model": "m", "permission_mode": "default", **called}


def rollout(project: Path, code: int, *, behind: int = 0) -> tuple[Path, str]:
    """A rollout with one call that ended with this code, and so many bytes of others behind it; and the call."""
    log = Rollout(cwd=str(project))
    log.prompt("deploy the shop")
    call = log.ask(WRONG)
    log.executed(call, WRONG, SAID, code)
    if behind:
        log.shell("cat apples", "x" * behind)
    return log.write(project), call


@pytest.mark.requirement("F4")
def test_a_failure_is_recognized_by_the_rollout_and_gets_its_fix_at_once(wisen: Path, project: Path) -> None:
    log, call = rollout(project, 2)
    answer = hook_answer(wisen, "after-call", ended(log, call, project), agent="codex")
    assert answer["hookEventName"] == "PostToolUse"
    assert FIXED in str(answer["additionalContext"])
    assert hook_answer(wisen, "after-call", ended(log, call, project), agent="codex") == {}, "it was told already"
    run("cycle", "--quick")
    with app.wire().learner(reads=False) as learner:
        (row,) = learner.home.ledger.exposures.all(session="t1")
    assert (row.agent, row.event) == ("codex", "failure")


@pytest.mark.parametrize("code", [0, -1])
def test_a_call_that_ended_well_or_was_ended_gets_nothing_whatever_it_printed(
    wisen: Path, project: Path, code: int
) -> None:
    log, call = rollout(project, code)
    assert fire(wisen, "after-call", ended(log, call, project), agent="codex") == ""


def test_what_the_rollout_does_not_tell_is_not_guessed(wisen: Path, project: Path) -> None:
    log, call = rollout(project, 2)
    far, other = rollout(project, 2, behind=1 << 19)
    pipe = project / "pipe"
    os.mkfifo(pipe)
    torn = project / "torn.jsonl"
    torn.write_bytes(log.read_bytes()[:-40])
    for path, id_ in ((log, "call_of_another"), (project / "gone", call), (project, call), (pipe, call), (torn, call)):
        assert fire(wisen, "after-call", ended(path, id_, project), agent="codex") == ""
    assert fire(wisen, "after-call", ended(far, other, project), agent="codex") == ""
    assert fire(wisen, "after-call", {**ended(log, call, project), "tool_use_id": 7}, agent="codex") == ""


def test_a_lesson_of_another_agent_is_delivered_in_the_same_words(wisen: Path, project: Path) -> None:
    event = {"session_id": "s", "cwd": str(project), "source": "startup"}
    delivered = fire(wisen, "session-start", event, agent="codex")
    assert "pnpm instead of npm" in delivered
    assert without_questions(delivered) == fire(wisen, "session-start", event), "and what is asked is asked once"


@pytest.mark.parametrize(("file", "reads"), [("CLAUDE.md", "claude-code"), ("AGENTS.md", "codex")])
def test_what_a_file_tells_one_agent_is_still_told_to_the_other(
    wisen: Path, project: Path, file: str, reads: str
) -> None:
    (project / file).write_text("- from now on always use pnpm instead of npm\n")
    run("cycle", "--quick")
    for agent in ("claude-code", "codex"):
        event = {"session_id": agent, "cwd": str(project), "source": "startup"}
        delivered = fire(wisen, "session-start", event, agent=agent)
        assert ("pnpm instead of npm (R-" in delivered) == (agent != reads)


@pytest.mark.requirement("X10")
def test_whose_hooks_fired_is_known_of_each_agent(wisen: Path, project: Path) -> None:
    fire(wisen, "prompt", {"session_id": "s", "cwd": str(project), "prompt": "hello"}, agent="codex")
    fire(wisen, "stop", {"session_id": "s", "cwd": str(project)})
    beats = HomeHookHealth(wisen, "1").read_health().beats
    assert {event: beat.agent for event, beat in beats.items()} == {"prompt@codex": "codex", "stop": "claude-code"}


@pytest.mark.parametrize(
    ("mode", "agent", "decision"), [("deny", "codex", "deny"), ("ask", "codex", "deny"), ("ask", "", "ask")]
)
def test_where_an_agent_cannot_ask_a_guard_stops_the_call_and_has_it_ask(
    wisen: Path, project: Path, mode: str, agent: str, decision: str
) -> None:
    run("guards", "add", f"{mode} shell: shopctl burn")
    call = {"tool_name": "Bash", "tool_input": {"command": "shopctl burn"}, "tool_use_id": "c1"}
    answer = hook_answer(wisen, "before-call", {"session_id": "s", "cwd": str(project), **call}, agent=agent)
    assert answer["permissionDecision"] == decision
    assert ("asked the user" in str(answer["permissionDecisionReason"])) == (mode != decision)
    run("cycle", "--quick")
    with app.wire().learner(reads=False) as learner:
        (row,) = learner.home.ledger.exposures.all(session="s")
    assert (row.agent, row.mode) == (agent or "claude-code", decision)


def test_a_guard_of_files_looks_into_patches(wisen: Path, project: Path) -> None:
    run("guards", "add", "deny edit: vendored/**")
    patch = "*** Begin Patch\n*** Update File: vendored/a.py\n@@\n-x\n+y\n*** End Patch\n"
    for text, stopped in ((patch, True), (patch.replace("vendored", "src"), False)):
        call = {"tool_name": "apply_patch", "tool_input": {"command": text}, "tool_use_id": "c1"}
        answer = hook_answer(wisen, "before-call", {"session_id": "s", "cwd": str(project), **call}, agent="codex")
        assert ("permissionDecision" in answer) == stopped


@pytest.mark.requirement("X10")
def test_who_adds_a_guard_is_told_that_its_hook_waits_for_trust(home: Path, project: Path) -> None:
    hooks = home / ".codex" / "hooks.json"
    run("install", "codex")
    written = hooks.read_bytes()
    output = run("guards", "add", "deny shell: shopctl burn").stdout
    assert hooks.read_bytes() == written
    assert "codex does not run these hooks before you trust them: " in output
    assert "codex hooks are not trusted yet" in run("agents").stdout
    run("uninstall", "codex")
    assert not hooks.exists()
