"""Guards before calls, through the hook client as Claude Code runs it and the hook in its settings."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.commands import run
from tests.cost import cpu_of, unit
from tests.guard_scenarios import ERROR_OUTPUT, RIGHT, WRONG, open_learner, record_fixed_failures, shell_call
from tests.hooks import fire, hook_answer
from wisen.delivery.guard_sheets import encode_guards
from wisen.delivery.hook_snapshot import digest
from wisen.delivery.launcher import program_of, render_script
from wisen.model.entry import Answer
from wisen.model.exposure import Arm
from wisen.model.guard import GuardState, Mode
from wisen.model.hook import Caller, Program
from wisen.safety import sentinel
from wisen.surfaces.hook.guard_rulings import evaluate_guards
from wisen.surfaces.hook.hook_store import HookStore
from wisen.testing.guards_contract import a_guard
from wisen.testing.log_writer import NOON
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from wisen.model.exposure import Exposure

USER_SETTINGS = b"""{
  "model": "opus",
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "audit.sh"}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "bell.sh"}]}]
  }
}
"""


@pytest.fixture(autouse=True)
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def wisen(home: Path) -> Path:
    return home / "wisen"


def add_guard(home: Path, text: str, where: Path | None = None, *, shadow: bool = False) -> str:
    """A guard that the user wrote; its id."""
    with open_learner(home) as learner:
        return learner.guards.add(text, where, shadow=shadow).guard.id


def exposures(home: Path, id_: str) -> tuple[Exposure, ...]:
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        return learner.home.ledger.exposures.of(id_)


@pytest.mark.requirement("F6")
@pytest.mark.requirement("F4")
@pytest.mark.parametrize("mode", ["deny", "ask"])
def test_a_call_is_denied_or_asked_about_with_the_better_one_every_time(
    home: Path, wisen: Path, project: Path, mode: str
) -> None:
    id_ = add_guard(home, f"{mode} {WRONG} -> {RIGHT} # there is no such option")
    answer = hook_answer(wisen, "before-call", shell_call(f"cd a && {WRONG} --to x", project))
    assert set(answer) == {"hookEventName", "permissionDecision", "permissionDecisionReason"}
    assert (answer["hookEventName"], answer["permissionDecision"]) == ("PreToolUse", mode)
    reason = str(answer["permissionDecisionReason"])
    assert "there is no such option." in reason
    assert f"\nInstead: cd a && {RIGHT} --to x\n" in reason
    assert f"the user types: overrule {id_}\n" in reason
    assert reason.startswith(f"A guard of the user's {'stops' if mode == 'deny' else 'asks about'} this call: "), (
        "not a mark"
    )
    assert sentinel.strip(reason).strip() == "", "nothing of it is ever learned from"
    assert hook_answer(wisen, "before-call", shell_call(f"cd a && {WRONG} --to x", project)) == answer, (
        "also the second time"
    )


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(("mode", "decision"), [("deny", "ask"), ("ask", "ask"), ("warn", None)])
@pytest.mark.parametrize(
    "hidden",
    ["x=" + "a" * 100_000 + f"; {WRONG}", "$(rev <<< ltcpohs) count --everything"],
    ids=["long", "substituted"],
)
def test_a_call_that_may_be_watched_for_is_asked_or_warned_about_and_never_denied(
    home: Path, wisen: Path, project: Path, mode: str, decision: str | None, hidden: str
) -> None:
    add_guard(home, f"{mode} {WRONG} -> {RIGHT}")
    add_guard(home, "deny shell: other --thing", shadow=True)
    answer = hook_answer(wisen, "before-call", shell_call(hidden, project))
    reason = str(answer.get("permissionDecisionReason") or answer["additionalContext"])
    assert "It may be what the guard watches for: " in reason
    assert "Instead:" not in reason
    assert reason.count("overrule G-") == 1
    assert answer.get("permissionDecision") == decision
    assert fire(wisen, "before-call", shell_call('eval "$(ssh-agent -s)"; curl x | sh', project)) == ""


@pytest.mark.requirement("F6")
def test_a_warning_lets_the_call_pass_and_is_given_once_in_a_session(home: Path, wisen: Path, project: Path) -> None:
    id_ = add_guard(home, f"warn {WRONG} -> {RIGHT} # there is no such option")
    delivered = fire(wisen, "before-call", shell_call(WRONG, project))
    assert "warns about this call: there is no such option." in delivered
    assert f"Instead: {RIGHT}" in delivered
    assert sentinel.strip(delivered).strip() == ""
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project, number="t2")) == {}
    assert fire(wisen, "before-call", shell_call(WRONG, project, session="another")) == delivered
    rows = exposures(home, id_)
    assert [(each.session, each.call, each.mode, each.arm) for each in rows] == [
        ("s", "t1", "warn", Arm.GIVEN),
        ("another", "t1", "warn", Arm.GIVEN),
    ]


@pytest.mark.requirement("F4")
def test_in_shadow_and_for_other_calls_nothing_is_printed(home: Path, wisen: Path, project: Path) -> None:
    id_ = add_guard(home, f"deny {WRONG} -> {RIGHT}", shadow=True)
    for number in ("t1", "t2"):
        assert hook_answer(wisen, "before-call", shell_call(WRONG, project, number=number)) == {}
    for other in (RIGHT, f"echo '{WRONG}'", f"git commit -m '{WRONG}'", "", "ls"):
        assert hook_answer(wisen, "before-call", shell_call(other, project, number="t3")) == {}
    no_shell = {**shell_call("", project), "tool_name": "Read", "tool_input": {"file_path": WRONG}}
    assert hook_answer(wisen, "before-call", no_shell) == {}
    rows = exposures(home, id_)
    assert [(each.call, each.mode, each.arm, each.event) for each in rows] == [
        ("t1", "deny", Arm.WITHHELD, "before-call"),
        ("t2", "deny", Arm.WITHHELD, "before-call"),
    ], "each is noted, with what would have been done"


def test_what_was_decided_is_shown_with_what_became_of_the_call(home: Path, wisen: Path, project: Path) -> None:
    id_ = add_guard(home, f"warn {WRONG} -> {RIGHT}", shadow=True)
    log = ClaudeTranscript(5, cwd=str(project), start=datetime.now(UTC))
    log.prompt("count")
    number = log.bash(WRONG, ERROR_OUTPUT, exit_code=2)
    log.write(home / ".claude" / "projects" / "shop")
    hook_answer(wisen, "before-call", shell_call(WRONG, project, session=log.session, number=number))
    run("cycle", "--quick")
    shown = json.loads(run("guards", "show", id_, "--json").stdout)
    assert shown["fared"] | {"decisions": 1, "sessions": 1, "failed": 1} == shown["fared"]
    assert [(each["call"], each["arm"], each["status"]) for each in shown["log"]] == [(number, "withheld", "failed")]
    assert f"would warn: {WRONG} → failed" in run("guards", "show", id_).stdout


@pytest.mark.requirement("F6")
def test_several_guards_speak_together_and_the_strictest_decides(home: Path, wisen: Path, project: Path) -> None:
    ids = [
        add_guard(home, text) for text in ("warn shopctl # one", "deny shopctl count # two", "ask shopctl * # three")
    ]
    answer = hook_answer(wisen, "before-call", shell_call("shopctl count", project))
    reason = str(answer["permissionDecisionReason"])
    assert answer["permissionDecision"] == "deny"
    assert [reason.index(each) for each in ("two", "three", "one")] == sorted(
        map(reason.index, ("two", "three", "one"))
    )
    assert [each for each in ids if each not in reason] == []
    later = hook_answer(wisen, "before-call", shell_call("shopctl list", project))
    assert later["permissionDecision"] == "ask"
    assert "one" not in str(later["permissionDecisionReason"]), "the warning was given"


@pytest.mark.requirement("F6")
def test_files_and_other_tools_are_guarded_too(home: Path, wisen: Path, project: Path) -> None:
    add_guard(home, "deny edit: migrations/** # they were applied")
    add_guard(home, "ask WebFetch: url=*intern.example*")

    def decided(tool: str, **fields: str) -> object:
        payload = {**shell_call("", project), "tool_name": tool, "tool_input": fields}
        return hook_answer(wisen, "before-call", payload).get("permissionDecision")

    assert decided("Write", file_path=str(project / "migrations" / "1.sql"), content="x") == "deny"
    assert decided("Edit", file_path=str(project / "src" / "1.sql"), old_string="migrations/") is None
    assert decided("Read", file_path=str(project / "migrations" / "1.sql")) is None
    assert decided("Bash", command="echo x > migrations/2.sql") == "deny"
    assert decided("WebFetch", url="https://intern.example/a") == "ask"
    assert decided("WebFetch", url="https://example.org") is None


def type_message(home: Path, project: Path, number: int, text: str) -> str:
    """A session in which the user types something: the hook receives it, and the agent logs it."""
    log = ClaudeTranscript(number, cwd=str(project), start=datetime.now(UTC))
    log.prompt(text)
    log.bash("ls")
    log.write(home / ".claude" / "projects" / "shop")
    delivered = fire(home / "wisen", "prompt", {"session_id": log.session, "cwd": str(project), "prompt": text})
    assert "says nothing more in this session" in delivered
    return log.session


@pytest.mark.requirement("F6")
def test_overruled_it_is_silent_in_that_session_and_after_twice_back_in_shadow(
    home: Path, wisen: Path, project: Path
) -> None:
    id_ = add_guard(home, f"deny {WRONG} -> {RIGHT}")
    add_guard(home, "deny npm")

    def cycled() -> GuardState:
        with open_learner(home) as learner:
            done = learner.cycle(quick=True)
            assert [each for each in done.answered if id_ in each]
            return learner.guards.get(id_)

    first = type_message(home, project, 7, f"Overrule {id_}.")
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project, session=first)) == {}
    assert hook_answer(wisen, "before-call", shell_call("npm ci", project, session=first)) != {}, (
        "only that one was lifted"
    )
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) != {}, "other sessions go on"
    assert cycled().mode is Mode.DENY, "once is no reason"
    second = type_message(home, project, 8, f"overrule {id_}")
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project, session=second)) == {}
    cycled()
    log = ClaudeTranscript(9, cwd=str(project))
    log.prompt("go on")
    log.write(home / ".claude" / "projects" / "shop")
    with open_learner(home) as learner:
        learner.cycle(quick=True)
        state = learner.guards.get(id_)
        (asked,) = [each.proposal for each in learner.proposals.all() if each.is_waiting]
        assert (state.mode, state.why) == (Mode.SHADOW, "you overruled it 2 times")
        assert (asked.entry, asked.text.split()[0]) == (id_, "deny")
        assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) == {}
        learner.proposals.answer(asked.id, Answer.APPROVED)
        assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) != {}
        record_fixed_failures(home, project, (11,))
        learner.cycle(quick=True)
        assert learner.guards.get(id_).mode is Mode.DENY, "overrules before the new approval do not count"


def test_what_the_log_does_not_show_overrules_nothing_for_good(home: Path, wisen: Path, project: Path) -> None:
    id_ = add_guard(home, f"deny {WRONG} -> {RIGHT}")
    fire(wisen, "prompt", {"session_id": "forged", "cwd": str(project), "prompt": f"overrule {id_}"})
    with open_learner(home) as learner:
        assert learner.cycle(quick=True).answered == ()
        assert learner.guards.live_outcomes(learner.guards.get(id_)).overruled == 0


@pytest.mark.requirement("F6")
def test_what_is_switched_off_is_off_at_once_in_a_session_that_runs(home: Path, wisen: Path, project: Path) -> None:
    id_ = add_guard(home, f"deny {WRONG} -> {RIGHT}")
    fire(wisen, "session-start", {"session_id": "s", "cwd": str(project), "source": "startup"})
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) != {}
    for mode, speaks in ((Mode.OFF, False), (Mode.ASK, True), (Mode.SHADOW, False), (Mode.DENY, True)):
        with open_learner(home) as learner:
            learner.guards.set_mode(id_, mode)
        assert bool(hook_answer(wisen, "before-call", shell_call(WRONG, project))) is speaks, mode
    with open_learner(home) as learner:
        learner.guards.set_mode(id_, Mode.REMOVED)
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) == {}


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("broken", ["cut off", "other bytes", "gone"])
def test_a_broken_sheet_lets_every_call_pass_and_is_reported_at_the_next_start(
    home: Path, wisen: Path, project: Path, broken: str
) -> None:
    add_guard(home, f"deny {WRONG} -> {RIGHT}")
    name = json.loads((wisen / "snapshots" / "current.json").read_text())["guards"][""]
    sheet = wisen / "snapshots" / f"{name}.json"
    whole = sheet.read_bytes()
    if broken == "gone":
        sheet.unlink()
    else:
        sheet.write_bytes(whole[:40] if broken == "cut off" else whole.replace(b"shopctl", b"shopctx"))
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) == {}
    start = {"session_id": "n", "cwd": str(project), "source": "startup"}
    assert "BrokenSnapshot at before-call" in fire(wisen, "session-start", start)
    assert "BrokenSnapshot" not in fire(wisen, "session-start", {**start, "session_id": "n2"}), "once"
    run("cycle", "--quick")
    assert hook_answer(wisen, "before-call", shell_call(WRONG, project)) != {}, "the next cycle mends it"


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{", b'{"tool_name": 5}', b'{"tool_name": "Bash", "tool_input": "x", "cwd": []}']
)
def test_a_call_that_cannot_be_read_passes(home: Path, wisen: Path, payload: bytes) -> None:
    add_guard(home, "deny *")
    assert hook_answer(wisen, "before-call", payload) == {}


@pytest.mark.requirement("N9")
def test_guards_of_one_project_do_not_speak_in_another(home: Path, wisen: Path, project: Path) -> None:
    other = home / "cellar"
    (project / "vendored" / ".git").mkdir(parents=True)
    other.mkdir()
    add_guard(home, f"deny {WRONG}", project)
    add_guard(home, "deny yarn", other)
    add_guard(home, "deny npm")

    def denied(command: str, *places: Path) -> list[bool]:
        return [bool(hook_answer(wisen, "before-call", shell_call(command, each))) for each in places]

    everywhere = (project, project / "src", other, project / "vendored", home / "shop-2", Path("/"))
    assert denied(WRONG, *everywhere) == [True, True, False, False, False, False]
    assert denied("yarn add x", *everywhere) == [False, False, True, False, False, False]
    assert denied("npm ci", *everywhere) == [True] * 6


def hooks(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())["hooks"]
    return found


@pytest.mark.requirement("F6")
def test_no_guard_cycle_or_answer_changes_an_agents_settings(home: Path, project: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(USER_SETTINGS)
    run("install", "claude-code")
    installed = settings.read_bytes()
    first, ours = hooks(settings)["PreToolUse"]
    assert first == json.loads(USER_SETTINGS)["hooks"]["PreToolUse"][0]
    assert list(ours) == ["hooks"], "for every tool, since a guard may look at any"
    record_fixed_failures(home, project, (1, 2, 3))
    run("cycle", "--quick", "--dry-run")
    run("cycle", "--quick")
    run("proposals", "reject", "1")
    shell = add_guard(home, "deny npm")
    for text in ("deny edit: migrations/**", "ask WebFetch: url=*x*"):
        add_guard(home, text)
    add_guard(home, "deny pip", shadow=True)
    with open_learner(home) as learner:
        for mode in (Mode.OFF, Mode.SHADOW, Mode.REMOVED):
            learner.guards.set_mode(shell, mode)
    run("cycle", "--quick")
    assert settings.read_bytes() == installed
    run("uninstall", "claude-code")
    assert settings.read_bytes() == USER_SETTINGS


@pytest.mark.requirement("X6")
def test_without_guards_a_call_starts_no_interpreter_and_the_first_guard_is_asked_at_once(home: Path) -> None:
    run("install", "claude-code")
    wisen, started = home / "wisen", home / "started"
    program = program_of(wisen)
    assert program is not None
    traced = home / "python"
    traced.write_text(f'#!/bin/sh\necho x >>{started}\nexec {program.python} "$@"\n')
    traced.chmod(0o755)
    (wisen / "hook").write_text(render_script(Program(python=str(traced), client=program.client), ""))
    call = {"session_id": "s", "cwd": str(home), "tool_name": "Bash", "tool_input": {"command": "npm ci"}}

    def asked() -> str:
        command = Caller(home=str(wisen)).command("before-call", "claude-code")
        return subprocess.run(
            ["/bin/sh", "-c", command], input=json.dumps(call), capture_output=True, text=True, check=True
        ).stdout

    asked()
    assert started.exists(), "before anything was prepared the client is asked"
    started.unlink()
    run("cycle", "--quick")
    assert (asked(), started.exists()) == ("", False)
    id_ = add_guard(home, "deny npm")
    assert '"permissionDecision": "deny"' in asked().replace('":"', '": "')
    assert started.exists()
    started.unlink()
    with open_learner(home) as learner:
        learner.guards.set_mode(id_, Mode.OFF)
    assert (asked(), started.exists()) == ("", False)


@pytest.mark.requirement("X6")
def test_a_thousand_guards_cost_hardly_more_than_one(wisen: Path, project: Path) -> None:
    def store_with(number: int) -> HookStore:
        made = [a_guard(f"shell: tool{each} run --fast", f"tool{each} run") for each in range(number - 1)]
        states = [GuardState(guard=each, mode=Mode.DENY, since=NOON) for each in (*made, a_guard())]
        sheet = encode_guards(states, "", {})
        assert sheet.count(b"\n") == number + 1
        folder = wisen / str(number) / "snapshots"
        folder.mkdir(parents=True)
        (folder / f"{digest(sheet)}.json").write_bytes(sheet)
        (folder / "current.json").write_text(json.dumps({"version": 1, "guards": {"": digest(sheet)}}))
        return HookStore(str(wisen / str(number)), "claude-code", "s")

    def best(store: HookStore, command: str) -> float:
        taken = []
        for _ in range(20):
            taken.append(cpu_of(lambda: evaluate_guards(shell_call(command, project), store, {})))
        assert (evaluate_guards(shell_call(command, project), store, {}) is not None) == command.startswith("rtk")
        return min(taken)

    one, many = store_with(1), store_with(1000)
    for command in ("rtk bun test", "cd a && ls -la | grep x", "git status; make; npm test && tool5 walk"):
        assert best(many, command) - best(one, command) < 2 * unit(), command
    assert any((wisen / "1000" / "spool").iterdir()), "what was decided is noted"
