"""The reader of OpenClaw's transcripts, on every record shape that the client writes."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from tests.agents.openclaw_sessions import Database, Following, Transcript, outcomes, read
from wisen.agents.openclaw import OpenClaw
from wisen.model.event import (
    Call,
    Concession,
    Interrupt,
    Message,
    MessageOrigin,
    Outcome,
    Provenance,
    Rejection,
    Status,
)
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")

FIXTURES = Path(__file__).parent / "fixtures" / "openclaw"


@pytest.fixture(params=[3, 4], ids=["file", "database"])
def story(request: pytest.FixtureRequest) -> Transcript:
    """An empty session in each way of keeping it."""
    return Transcript(version=request.param)


def test_a_turn_becomes_a_message_a_call_and_its_outcome(story: Transcript, tmp_path: Path) -> None:
    story.prompt("run the tests")
    call = story.shell("pytest", "2 failed", 1)
    story.say("Two tests fail.")
    (message, asked, end), problems = read(story, tmp_path)
    assert isinstance(message, Message)
    assert isinstance(asked, Call)
    assert isinstance(end, Outcome)
    assert (message.text, message.origin, message.provenance) == (
        "run the tests",
        MessageOrigin.PROMPT,
        Provenance.TYPED,
    )
    assert (asked.id, asked.tool, json.loads(asked.arguments or "")) == (call, "exec", {"command": "pytest"})
    assert (end.call, end.status) == (call, Status.FAILED)
    assert (message.session.native, message.place) == (story.session, "/home/ada/orchard")
    assert message.at == story.at - timedelta(seconds=21, milliseconds=5)
    assert problems == []


def test_a_call_belongs_where_it_ran(story: Transcript, tmp_path: Path) -> None:
    call = story.call("exec", command="make", workdir="/home/ada/shop")
    story.end(call, "no rule", 2)
    events, _ = read(story, tmp_path)
    assert {event.place for event in events} == {"/home/ada/shop"}
    assert {event.session.start for event in events} == {"/home/ada/orchard"}


@pytest.mark.parametrize(
    ("tool", "text", "details", "error", "status"),
    [
        ("exec", "no", {"status": "completed", "exitCode": 1}, False, Status.FAILED),
        ("exec", "yes", {"status": "completed", "exitCode": 0}, False, Status.OK),
        ("exec", "no\n\n(Command exited with code 2)", None, False, Status.FAILED),
        ("bash", "no\n\nCommand exited with code 2", None, True, Status.FAILED),
        ("exec", "it says (Command exited with code 2)", {"status": "completed", "exitCode": 0}, False, Status.OK),
        ("exec", "killed", {"status": "failed", "exitCode": None, "exitSignal": "SIGKILL"}, False, Status.FAILED),
        ("exec", "slow", {"status": "completed", "exitCode": None, "timedOut": True}, False, Status.FAILED),
        ("exec", "in the background", {"status": "running", "sessionId": "x"}, False, Status.OK),
        ("exec", "waiting", {"status": "approval-pending"}, False, Status.CANCELLED),
        ("exec", "a rule forbids it", {"status": "blocked", "deniedReason": "plugin"}, True, Status.CANCELLED),
        ("exec", "no", {"status": "error", "error": "Plugin approval unavailable: no"}, True, Status.CANCELLED),
        ("exec", "no", {"status": "error", "error": "Approval timed out"}, True, Status.CANCELLED),
        ("mcp__x", "no", {"status": "error", "error": "Denied by user"}, True, Status.CANCELLED),
        ("read", '{"status":"error"}', {"status": "error", "tool": "read"}, True, Status.FAILED),
        ("sessions_spawn", "no", {"status": "forbidden"}, False, Status.FAILED),
        ("web_fetch", "a page", {"status": 200}, False, Status.OK),
        ("other", "odd", "not an object", False, Status.OK),
        ("other", "odd", {"exitCode": True, "status": ["odd"]}, False, Status.OK),
    ],
)
def test_a_failure_is_recognized_by_what_the_tool_says_of_its_end(
    tool: str, text: str, details: object, error: bool, status: Status, tmp_path: Path
) -> None:
    story = Transcript(version=4)
    story.result(story.call(tool), text, tool, details, error=error)
    events, problems = read(story, tmp_path)
    (end,) = outcomes(events)
    assert (end.status, end.text) == (status, text if status is Status.FAILED else None)
    assert problems == []


def test_a_result_that_openclaw_made_up_is_no_end(story: Transcript, tmp_path: Path) -> None:
    text = "[openclaw] missing tool result in session history; inserted synthetic error result for transcript repair."
    story.result(story.call("exec"), text, error=True)
    marked = {"openclawSyntheticMissingToolResult": True}
    story.result(story.call("exec"), "aborted", details=marked, error=True)
    events, problems = read(story, tmp_path)
    assert [type(event) for event in events] == [Call, Call]
    assert problems == []


def test_a_command_the_user_denied_is_a_rejection_which_no_output_can_forge(story: Transcript, tmp_path: Path) -> None:
    denied = story.call("exec", command="rm -rf build")
    story.result(denied, "Exec denied (gateway id=7, user-denied): rm -rf build", details={"status": "failed"})
    asked = story.call("exec", command="rm -rf dist")
    details = {"status": "error", "tool": "exec", "error": "Denied by user. The tool call did not run."}
    story.result(asked, "Denied by user. The tool call did not run.", details=details, error=True)
    story.shell("cat log", "exec denied: user-denied", 1)
    story.result(story.call("mcp__x"), "exec denied: user-denied", "mcp__x", error=True)
    events, _ = read(story, tmp_path)
    assert [event.call for event in events if isinstance(event, Rejection)] == [denied, asked]
    assert [end.status for end in outcomes(events)] == [Status.FAILED, Status.FAILED]


def test_one_stop_is_one_interrupt_however_often_it_is_recorded(story: Transcript, tmp_path: Path) -> None:
    def gateway(origin: str) -> None:
        block = {"type": "text", "text": "so far"}
        story.message("assistant", [block], stopReason="stop", openclawAbort={"aborted": True, "origin": origin})

    story.prompt("go")
    story.say("", stop="aborted")
    gateway("rpc")
    story.prompt("again")
    gateway("stop-command")
    story.prompt("and again")
    gateway("placement-abandon")
    events, _ = read(story, tmp_path)
    assert [type(event).__name__ for event in events] == ["Message", "Interrupt"] * 2 + ["Message"]


def test_stopping_a_job_is_not_an_interrupt_by_the_user(story: Transcript, tmp_path: Path) -> None:
    story.prompt("check the mail")
    story.say("", stop="aborted")
    events, _ = read(story, tmp_path, "agent:main:cron:mail:run:1")
    assert not [event for event in events if isinstance(event, Interrupt)]


def test_the_content_of_a_written_file_is_never_kept(story: Transcript, tmp_path: Path) -> None:
    story.call("write", path="a.py", content="print('secret source')")
    story.call("apply_patch", input="*** Add File: b.py\n" + "+secret source\n" * 200)
    story.call("edit", path="a.py", oldText="x", newText="y")
    failed = story.call("edit", path="a.py", oldText="z", newText="y")
    shown = "Could not find the text.\nCurrent file contents:\nsecret source"
    story.result(failed, shown, "edit", error=True)
    events, _ = read(story, tmp_path)
    written, patch, edit = (json.loads(e.arguments or "") for e in events[:3] if isinstance(e, Call))
    assert written["content"]["characters"] == 22
    assert patch["input"]["characters"] == 3019
    assert edit == {"path": "a.py", "oldText": "x", "newText": "y"}
    assert "secret source" not in repr(events)
    assert outcomes(events)[0].text == "Could not find the text.\n"


def test_providers_that_count_calls_from_nought_do_not_mix_them_up(story: Transcript, tmp_path: Path) -> None:
    for exit_code in (1, 0):
        call = story.call("exec", "functions.exec:0", command=f"exit {exit_code}")
        story.end(call, "", exit_code)
    events, _ = read(story, tmp_path)
    calls = {event.id: json.loads(event.arguments or "")["command"] for event in events if isinstance(event, Call)}
    assert [(calls[end.call], end.status) for end in outcomes(events)] == [
        ("exit 1", Status.FAILED),
        ("exit 0", Status.OK),
    ]


def test_commands_the_user_runs_himself_are_neither_typed_nor_the_agents_act(story: Transcript, tmp_path: Path) -> None:
    story.entry("message", message={"role": "bashExecution", "command": "ls", "output": "a", "exitCode": 1})
    assert read(story, tmp_path) == ([], [])


def test_what_stands_on_a_branch_that_was_left_did_happen(story: Transcript, tmp_path: Path) -> None:
    root = story.prompt("build it")
    story.shell("make", "no rule", 2)
    story.prompt("now with cmake")
    story.last = root
    story.shell("cmake .", "done")
    story.prompt("good, now with ninja")
    events, _ = read(story, tmp_path)
    assert typed_texts(events) == ["build it", "now with cmake", "good, now with ninja"]
    assert [end.status for end in outcomes(events)] == [Status.FAILED, Status.OK]


def test_a_history_that_was_copied_under_new_ids_happened_once(story: Transcript, tmp_path: Path) -> None:
    story.prompt("build it")
    story.shell("make", "no rule", 2)
    story.say("", stop="aborted")
    copies = [record for record in story.records[1:] if isinstance(record, dict)]
    for record in copies:
        story.entry("message", message=dict(record["message"]))
    story.prompt("again")
    events, _ = read(story, tmp_path)
    assert len(events) == 9
    assert len({event.id for event in events}) == 5


@pytest.mark.parametrize("version", [1, 2, 3])
def test_every_version_of_the_file_is_read(version: int, tmp_path: Path) -> None:
    story = Transcript(version=version)
    story.prompt("one")
    story.message("hookMessage" if version < 3 else "custom", "injected", customType="x", display=True)
    story.shell("false", "", 1)
    story.prompt("two")
    events, problems = read(story, tmp_path)
    assert typed_texts(events) == ["one", "two"]
    assert [end.status for end in outcomes(events)] == [Status.FAILED]
    assert {event.session.native for event in events} == {story.session}
    assert problems == []


def test_a_reset_begins_another_conversation_in_the_same_session(tmp_path: Path) -> None:
    story, database, following = Transcript(version=4), Database(tmp_path), Following(tmp_path)
    story.prompt("one")
    story.entry("reset")
    story.prompt("two")
    database.save(story)
    first = following.look()
    story.prompt("three")
    story.entry("reset")
    database.save(story)
    second = following.look()
    story.prompt("four")
    database.save(story)
    found = [*first, *second, *following.look()]
    assert [(e.text, e.session.segment) for e in found if isinstance(e, Message)] == [
        ("one", 0),
        ("two", 1),
        ("three", 1),
        ("four", 2),
    ]
    assert [event.session for event in found] == [event.session for event in read_all(OpenClaw(tmp_path, {}))[0]]


def test_unknown_records_and_shapes_are_reported_and_cost_only_themselves(story: Transcript, tmp_path: Path) -> None:
    story.entry("hologram")
    story.entry("message", message="not an object")
    story.entry("message", message={"role": "user", "content": 7})
    story.message("oracle", "hm")
    story.entry("custom", data={"type": "message"})
    story.prompt("after")
    events, problems = read(story, tmp_path)
    assert typed_texts(events) == ["after"]
    assert problems == [
        ("unknown", "hologram"),
        ("misshapen", "message"),
        ("misshapen", "message"),
        ("unknown", "message of oracle"),
    ]


@pytest.mark.parametrize("version", ["2026.5.22", "2026.9.6"])
def test_what_the_real_client_recorded_is_understood(version: str, tmp_path: Path) -> None:
    lines = (FIXTURES / f"{version}.jsonl").read_bytes().splitlines()
    story = Transcript(version=3 if version < "2026.8" else 4)
    story.records = [*lines]
    story.session = json.loads(lines[0])["id"]
    events, problems = read(story, tmp_path, f"agent:main:explicit:{story.session}")
    assert typed_texts(events) == ["count the lines", "no, that is wrong: write a file", "print a lot", "hide it"]
    tools = [event.tool for event in events if isinstance(event, Call)]
    assert tools == ["exec", "exec", "write", "edit", "read", "exec", "exec"]
    assert [end.status.value for end in outcomes(events)] == ["ok", "failed", "ok", "failed", "failed", "ok", "masked"]
    assert problems == []


@pytest.mark.parametrize(
    ("content", "conceded"),
    [
        ([{"type": "text", "text": "You\u2019re right.", "textSignature": "x"}], True),
        ("You're right.", True),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Sorry."}], True),
        ([{"text": "Sorry.", "type": "text"}], True),
        ([{"type": "text", "textSignature": "x", "text": "Sorry."}], True),
        ([{"type": "thinking", "text": "hm"}, {"type": "text", "text": "Sorry."}], True),
        ([{"type": "text", "text": "\u0142" * 130 + " got it"}], True),
        ([{"type": "thinking", "thinking": "Sorry."}, {"type": "text", "text": "Done."}], False),
        ([{"type": "text", "text": "Done."}, {"type": "text", "text": "Sorry."}], False),
        ([{"type": "thinking", "thinking": "Sorry."}], False),
        ([{"type": "text", "text": None}], False),
        ([], False),
    ],
)
def test_the_first_text_of_an_answer_says_whether_it_concedes(
    story: Transcript, content: object, conceded: bool, tmp_path: Path
) -> None:
    story.prompt("no, use uv")
    story.message("assistant", content, stopReason="stop")
    events, problems = read(story, tmp_path)
    assert [type(event) for event in events] == [Message, Concession][: 1 + conceded]
    assert problems == []


def test_a_concession_that_was_copied_under_a_new_id_is_the_same(story: Transcript, tmp_path: Path) -> None:
    story.prompt("no, use uv")
    message = {"role": "assistant", "content": [{"type": "text", "text": "Sorry."}], "timestamp": 1772442000000}
    story.entry("message", message=message)
    story.entry("message", message=message)
    events, _ = read(story, tmp_path)
    first, second = [event for event in events if isinstance(event, Concession)]
    assert first == second
