"""Lessons for a moment: delivered when a call or prompt like the corrected one comes again, and at no other time."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.commands import run
from tests.guard_scenarios import open_learner, shell_call
from tests.hooks import fire, hook_answer, printed_json
from wisen.delivery.reminders import build_reminders, is_for_one_call
from wisen.model.directive import Trigger, TriggerCause
from wisen.model.entry import Category, EntryOrigin, EntryStatus, EntryType, rule_id
from wisen.model.entry_state import EntryState, fold_entry_states
from wisen.testing.entries_contract import an_entry
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

REASON = "no, that's wrong: ask me before the pears go to the market"
QUOTE = "before the pears go to the market"
COMMAND = "pearctl ship --all"


def refused(home: Path, project: Path, number: int, reason: str = REASON, command: str = COMMAND) -> str:
    """A session in which the user refused a call and said why."""
    project.mkdir(exist_ok=True)
    log = ClaudeTranscript(number, cwd=str(project))
    log.prompt("get the harvest out")
    log.reject(log.call("Bash", command=command), reason)
    log.bash("ls")
    log.write(home / ".claude" / "projects" / project.name)
    return log.session


@pytest.fixture
def orchard(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which a call was once refused, where lessons of the moment are switched on."""
    monkeypatch.setenv("WISEN_DELIVER_MOMENTS", "2")
    folder = home / "orchard"
    refused(home, folder, 1)
    run("cycle", "--quick")
    return folder


@pytest.fixture
def wisen(home: Path) -> Path:
    return home / "wisen"


@pytest.mark.requirement("N5")
@pytest.mark.requirement("F9")
def test_before_a_call_like_the_refused_one_the_agent_is_told_what_the_user_said_and_when(
    wisen: Path, orchard: Path
) -> None:
    delivered = hook_answer(wisen, "before-call", shell_call("cd x && pearctl ship --crate 7", orchard))
    assert set(delivered) == {"hookEventName", "additionalContext"}, "it never decides about the call"
    text = str(delivered["additionalContext"])
    assert re.search(rf'2026-03-02, after you ran "pearctl ship --all", the user said: ".*{QUOTE}.?" \(R-', text)
    assert text.count("\n") <= 3


def test_it_is_delivered_once_in_a_session_and_in_each_sub_agent_and_again_after_a_summary(
    wisen: Path, orchard: Path
) -> None:
    event = shell_call(COMMAND, orchard)
    assert QUOTE in fire(wisen, "before-call", event)
    assert fire(wisen, "before-call", event) == ""
    helper = {**event, "agent_id": "a1"}
    assert QUOTE in fire(wisen, "before-call", helper)
    assert fire(wisen, "before-call", helper) == ""
    assert QUOTE in fire(wisen, "before-call", {**event, "session_id": "other"})
    fire(wisen, "session-start", {"session_id": "s", "cwd": str(orchard), "source": "compact"})
    assert QUOTE in fire(wisen, "before-call", event)


def test_a_prompt_that_leads_to_such_a_call_tells_it_first(wisen: Path, orchard: Path) -> None:
    prompt = {"session_id": "s", "cwd": str(orchard), "prompt": "please ship the crates with pearctl"}
    assert QUOTE in fire(wisen, "prompt", prompt)
    assert fire(wisen, "before-call", shell_call(COMMAND, orchard)) == ""
    assert fire(wisen, "prompt", {**prompt, "session_id": "t", "prompt": "how tall are pear trees?"}) == ""


def test_other_calls_and_other_places_are_told_nothing(wisen: Path, orchard: Path) -> None:
    for command in ("pearctl count", "ls", 'echo "pearctl ship"', "git status"):
        assert fire(wisen, "before-call", shell_call(command, orchard)) == ""
    edit = {"tool_name": "Edit", "tool_input": {"file_path": "a", "new_string": "pearctl ship"}}
    assert fire(wisen, "before-call", {**shell_call("", orchard), **edit}) == ""


@pytest.mark.requirement("X7")
def test_it_stays_in_its_project_and_out_of_the_session_it_came_from(home: Path, wisen: Path, orchard: Path) -> None:
    other = home / "cellar"
    log = ClaudeTranscript(5, cwd=str(other))
    other.mkdir()
    log.prompt("look around")
    log.bash("ls")
    log.write(home / ".claude" / "projects" / "cellar")
    run("cycle", "--quick")
    assert fire(wisen, "before-call", shell_call(COMMAND, other)) == ""
    assert fire(wisen, "before-call", shell_call(COMMAND, home)) == ""
    source = ClaudeTranscript(1).session
    assert fire(wisen, "before-call", shell_call(COMMAND, orchard, session=source)) == ""
    assert QUOTE in fire(wisen, "before-call", shell_call(COMMAND, orchard))


def test_every_agent_gets_it_and_gemini_after_the_call_where_it_listens(wisen: Path, orchard: Path) -> None:
    for agent in ("codex", "opencode", "openclaw"):
        event = {**shell_call(COMMAND, orchard), "tool_name": "exec_command", "tool_input": {"cmd": COMMAND}}
        assert QUOTE in fire(wisen, "before-call", event, agent=agent), agent
    event = {**shell_call(COMMAND, orchard), "tool_name": "run_shell_command"}
    assert printed_json(wisen, "before-call", event, agent="gemini-cli") == {}
    response = {"tool_response": {"llmContent": "Output: done"}}
    delivered = printed_json(wisen, "after-call", {**event, **response}, agent="gemini-cli")
    assert QUOTE in json.dumps(delivered)
    assert printed_json(wisen, "after-call", {**event, **response}, agent="gemini-cli") == {}


@pytest.mark.requirement("C3")
def test_each_telling_is_an_exposure(home: Path, wisen: Path, orchard: Path) -> None:
    fire(wisen, "before-call", shell_call(COMMAND, orchard))
    run("cycle", "--quick")
    with open_learner(home) as learner:
        (state,) = [each for each in learner.lessons.all() if each.trigger is not None]
        (row,) = learner.home.ledger.exposures.of(rule_id(state.entry.id))
        assert (row.session, row.event, row.arm.value, row.call) == ("s", "before-call", "given", None)


def test_a_session_gets_no_more_than_its_budget(
    home: Path, wisen: Path, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, verb in enumerate(("sell", "press", "store"), 10):
        refused(home, orchard, number, f"no, that's wrong: ask me before you {verb} those", f"pearctl {verb} --all")
    run("cycle", "--quick")
    delivered = [
        fire(wisen, "before-call", shell_call(f"pearctl {verb}", orchard)) for verb in ("sell", "press", "store")
    ]
    assert [bool(each) for each in delivered] == [True, True, False]
    monkeypatch.setenv("WISEN_DELIVER_SESSION_TOKENS", "30")
    run("cycle", "--quick")
    assert fire(wisen, "before-call", shell_call("pearctl sell", orchard, session="poor")) == ""


@pytest.mark.requirement("S9")
def test_what_the_user_forgets_or_closes_is_delivered_no_more_in_running_sessions(
    wisen: Path, orchard: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fire(wisen, "session-start", {"session_id": "s", "cwd": str(orchard), "source": "startup"})
    monkeypatch.chdir(orchard)
    run("forget", "pears go to the market", "--yes")
    assert fire(wisen, "before-call", shell_call(COMMAND, orchard)) == ""
    kept = b"".join(path.read_bytes() for path in (wisen / "snapshots").glob("*.json"))
    assert b"market" not in kept


def test_without_the_setting_nothing_of_it_is_delivered_or_written(
    home: Path, wisen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WISEN_DELIVER_MOMENTS", raising=False)
    folder = home / "orchard"
    refused(home, folder, 1)
    run("cycle", "--quick")
    assert fire(wisen, "before-call", shell_call(COMMAND, folder)) == ""
    assert "moments" not in json.loads((wisen / "snapshots" / "current.json").read_text())
    assert (wisen / "snapshots" / "no-guards").exists(), "the launcher ends by itself"


def test_broken_sheets_and_strange_calls_keep_nobody_from_working(wisen: Path, orchard: Path) -> None:
    strange: list[dict[str, object]] = [
        {"tool_name": 3},
        {"tool_input": "no fields"},
        {"tool_input": {"command": ["a", 1]}},
        {"tool_input": {"command": "'" * 3000 + "pearctl ship"}},
    ]
    for fields in strange:
        fire(wisen, "before-call", {**shell_call(COMMAND, orchard, session=str(fields)[:20]), **fields})
    current = json.loads((wisen / "snapshots" / "current.json").read_text())
    for digest in current["moments"].values():
        (wisen / "snapshots" / f"{digest}.json").write_text("{}")
    assert fire(wisen, "before-call", shell_call(COMMAND, orchard, session="broken")) == ""


def state(number: int, text: str, *, words: tuple[str, ...] = ("pearctl", "ship"), context: str = "ctx") -> EntryState:
    trigger = Trigger(cause=TriggerCause.REJECTED, tool="Bash", words=words, did="ran pearctl ship")
    entry = structs.replace(
        an_entry(f"E{number}"),
        summary=text,
        context=context,
        type=EntryType.LEARNING,
        category=Category.CORRECTION,
        origin=EntryOrigin.STATED,
        standing=False,
        trigger=trigger,
    )
    (found,) = fold_entry_states([entry], (), ())
    return found


def test_of_several_lessons_with_one_trigger_the_newest_is_delivered() -> None:
    old, new = state(1, "not on Mondays"), state(2, "not on Tuesdays")
    new = structs.replace(new, last=old.last.replace(year=old.last.year + 1))
    (moment,) = build_reminders([old, new], "ctx", lambda _: ["s"])
    assert "Tuesdays" in moment.text
    assert moment.sources == ("s",)
    assert build_reminders([old], "elsewhere", lambda _: []) == []
    both = build_reminders([old, state(3, "x", words=("pearctl", "sell"))], "ctx", lambda _: [])
    assert len(both) == 2


def test_only_open_words_of_the_user_that_are_not_standing_are_of_the_moment() -> None:
    one = state(1, "not on Mondays")
    assert is_for_one_call(one)
    for other in (
        structs.replace(one, superseded_by="E2"),
        structs.replace(one, status=EntryStatus.WONT_FIX),
        structs.replace(one, status=EntryStatus.PROMOTED),
        structs.replace(one, merged_into="E3"),
        structs.replace(one, confirmed=True),
        structs.replace(one, lasting=True),
        structs.replace(one, trigger=None),
        structs.replace(one, entry=structs.replace(one.entry, standing=True)),
        structs.replace(one, entry=structs.replace(one.entry, standing=None)),
        structs.replace(one, entry=structs.replace(one.entry, origin=EntryOrigin.LOGGED)),
    ):
        assert not is_for_one_call(other)


@pytest.mark.requirement("N4")
def test_what_cannot_be_taken_back_is_not_delivered_beside_the_call_and_a_guard_is_proposed(
    home: Path, wisen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WISEN_DELIVER_MOMENTS", "2")
    folder = home / "orchard"
    refused(home, folder, 1, "no, that's wrong: never rewrite what others pulled", "git push --force origin harvest")
    run("cycle", "--quick")
    assert fire(wisen, "before-call", shell_call("git push --force origin harvest", folder)) == ""
    with open_learner(home) as learner:
        (guard,) = learner.guards.all()
        assert (guard.guard.watch, guard.mode.value) == ("shell: git push --force", "shadow")
        (asked,) = [each for each in learner.proposals.all() if each.proposal.type.value == "guard"]
        assert "you stopped it and said" in asked.proposal.why
