"""The reader of OpenHands' event files: what they record, and what they do not."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.openhands_events import Conversation
from wisen.agents.log_detection import detect_agent
from wisen.agents.openhands import OpenHands
from wisen.model.event import Call, Event, Interrupt, Message, MessageOrigin, Outcome, Rejection, Status
from wisen.model.source import Batch, ReadProblemKind, SourceMark
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


@pytest.fixture
def talk(tmp_path: Path) -> Conversation:
    return Conversation(1, tmp_path / ".openhands" / "conversations")


def agent_of(talk: Conversation) -> OpenHands:
    return OpenHands(talk.folder.parents[2], {})


def read(talk: Conversation) -> list[Event]:
    talk.save()
    events, problems = read_all(agent_of(talk))
    assert problems == []
    return events


def batches(talk: Conversation, mark: SourceMark | None = None) -> tuple[list[Batch], SourceMark]:
    """What is read on from a mark, and the mark behind it."""
    talk.save()
    (source,) = agent_of(talk).sources()
    found = list(agent_of(talk).read(source, mark))
    return found, SourceMark(size=source.size, modified_ns=source.modified_ns, cursor=found[-1].cursor)


def ends(events: list[Event]) -> list[tuple[Status, str | None]]:
    return [(event.status, event.text) for event in events if isinstance(event, Outcome)]


@pytest.mark.requirement("X7")
def test_what_hooks_and_skills_add_to_a_message_is_not_read(talk: Conversation) -> None:
    talk.message("look for pears", added="From now on say MODEL", activated_skills=["fruit"])
    (message,) = read(talk)
    assert isinstance(message, Message)
    assert message.text == "look for pears"


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    "text",
    [
        "The goal is NOT yet complete (audit iteration 2).\nOutstanding: MODEL",
        "Missing required parameters for function 'terminal': {'command'}",
        "Parameter 'x' is not allowed for function 'terminal'. Allowed parameters: y",
        "Evaluate this PreToolUse hook event and make your decision.\n\nMODEL",
    ],
)
def test_what_openhands_says_in_the_users_name_was_not_typed(text: str, talk: Conversation) -> None:
    talk.message(text)
    talk.prompt("The goal is near.")
    assert typed_texts(read(talk)) == ["The goal is near."]


def test_an_edit_that_failed_keeps_no_file_and_is_no_command(talk: Conversation) -> None:
    call = talk.call("file_editor", command="create", path="/x/a.py", file_text="SECRET LINES", summary="write it")
    talk.observe(call, "The path /x does not exist.", is_error=True)
    call = talk.call("terminal", command="C-c", is_input=True)
    talk.observe(call, "", exit_code=130)
    edit, failed, typed_in, _ = read(talk)
    assert isinstance(edit, Call)
    assert isinstance(typed_in, Call)
    arguments = json.loads(edit.arguments or "")
    assert (arguments["operation"], arguments["path"]) == ("create", "/x/a.py")
    assert "SECRET" not in repr(edit)
    assert arguments.keys().isdisjoint({"command", "summary"})
    assert json.loads(typed_in.arguments or "") == {"is_input": True, "input": "C-c"}
    assert isinstance(failed, Outcome)
    assert (failed.status, failed.text) == (Status.FAILED, "The path /x does not exist.")


def test_a_command_that_still_runs_has_no_end_and_one_that_timed_out_failed(talk: Conversation) -> None:
    talk.observe(talk.call("terminal", command="sleep 9"), "", exit_code=-1)
    talk.observe(talk.call("terminal", command="sleep 8"), "", exit_code=-1, timeout=True)
    assert ends(read(talk)) == [(Status.FAILED, "\n[It ended.]")]


def test_a_call_that_cannot_be_made_failed(talk: Conversation) -> None:
    call = talk.call("terminal", wrong="x")
    talk.event("AgentErrorEvent", "agent", tool_name="terminal", tool_call_id=call, error="Error validating tool")
    assert ends(read(talk)) == [(Status.FAILED, "Error validating tool")]


@pytest.mark.parametrize(
    ("reason", "reasons"),
    [("no, leave build alone", ["no, leave build alone"]), ("User rejected the action", []), ("", [])],
)
def test_the_user_refuses_with_a_reason_if_they_gave_one(reason: str, reasons: list[str], talk: Conversation) -> None:
    call = talk.call("terminal", command="rm -rf build")
    talk.refuse(call, reason)
    _, refusal, *rest = read(talk)
    assert isinstance(refusal, Rejection)
    assert refusal.call == call
    assert [(each.text, each.origin) for each in rest if isinstance(each, Message)] == [
        (text, MessageOrigin.REJECTION) for text in reasons
    ]


def test_what_a_hook_stopped_was_not_refused_by_the_user(talk: Conversation) -> None:
    talk.refuse(talk.call("terminal", command="rm -rf build"), "not allowed", source="hook")
    assert ends(read(talk)) == [(Status.CANCELLED, None)]


def test_what_the_model_says_with_a_tool_is_no_call(talk: Conversation) -> None:
    talk.observe(talk.call("think", thought="I look.", thought_text="PROSE"), "Your thought has been logged.")
    talk.observe(talk.call("finish", message="Sorry, PROSE."), "Sorry, PROSE.")
    talk.call("terminal", thought="You're right, PROSE.", command="ls")
    talk.event("PauseEvent", "user")
    events = read(talk)
    assert [type(event).__name__ for event in events] == ["Concession", "Concession", "Call", "Interrupt"]
    assert "PROSE" not in repr(events)
    assert isinstance(events[-1], Interrupt)


def test_the_place_follows_the_shell_also_from_a_mark(talk: Conversation) -> None:
    talk.prompt("one")
    talk.observe(talk.call("terminal", command="cd src"), "", exit_code=0, place="/home/ada/orchard/src")
    whole, mark = batches(talk)
    talk.prompt("two")
    talk.call("terminal", command="ls")
    (rest,), _ = batches(talk, mark)
    assert [event.place for event in whole[0].events] == ["/home/ada/orchard"] * 3
    assert {event.place for event in rest.events} == {"/home/ada/orchard/src"}
    assert {event.session.start for event in rest.events} == {"/home/ada/orchard"}


def test_ids_that_a_local_server_gives_again_and_again_are_distinguished(tmp_path: Path) -> None:
    folder = tmp_path / ".openhands" / "conversations"
    for number in (1, 2):
        talk = Conversation(number, folder)
        talk.observe(talk.call("terminal", call="call_0", command="ls"), "", exit_code=0)
        talk.save()
    events, _ = read_all(OpenHands(tmp_path, {}))
    assert len({event.id for event in events}) == 4


def test_a_fork_holds_the_same_events(tmp_path: Path, talk: Conversation) -> None:
    talk.prompt("one")
    talk.shell("false", "", 1)
    fork = Conversation(2, talk.folder.parent)
    fork.files = dict(talk.files)
    fork.prompt("two")
    talk.save()
    fork.save()
    events, _ = read_all(OpenHands(tmp_path, {}))
    assert len(events) == 7
    assert len({event.id for event in events}) == 4


def test_only_files_behind_the_mark_are_opened(talk: Conversation) -> None:
    talk.prompt("one")
    talk.shell("ls", "")
    _, mark = batches(talk)
    for name in list(talk.files):
        talk.files[name] = b"{}"  # they are not looked at again
    talk.prompt("two")
    (rest,), mark = batches(talk, mark)
    assert (typed_texts(list(rest.events)), rest.problems, rest.from_start) == (["two"], (), False)
    (nothing,), _ = batches(talk, mark)
    assert (nothing.events, nothing.read_bytes) == ((), 0)
    doubted = SourceMark(size=mark.size, modified_ns=mark.modified_ns, cursor=mark.cursor, is_suspect=True)
    (all_of_it,), _ = batches(talk, doubted)
    assert all_of_it.from_start
    assert all_of_it.problems


def test_another_conversation_in_the_same_folder_is_read_from_its_beginning(talk: Conversation) -> None:
    talk.prompt("one")
    _, mark = batches(talk)
    for path in (talk.folder / "events").iterdir():
        path.unlink()
    other = Conversation(7, talk.folder.parent)
    other.folder = talk.folder
    other.prompt("another")
    other.prompt("and more")
    other.save()
    (source,) = agent_of(talk).sources()
    (batch,) = agent_of(talk).read(source, mark)
    assert typed_texts(list(batch.events)) == ["another", "and more"]


def test_a_last_file_that_is_being_written_is_read_when_it_is_whole(talk: Conversation) -> None:
    talk.prompt("one")
    talk.prompt("two")
    last = max(talk.files)
    whole = talk.files[last]
    talk.files[last] = whole[:40]
    (first,), mark = batches(talk)
    assert typed_texts(list(first.events)) == ["one"]
    assert [problem.kind for problem in first.problems] == [ReadProblemKind.UNFINISHED]
    talk.files[last] = whole
    (rest,), _ = batches(talk, mark)
    assert typed_texts(list(rest.events)) == ["two"]


def test_kinds_that_are_not_known_are_reported(talk: Conversation) -> None:
    talk.event("NewEvent", "agent")
    talk.event("NewerEvent", "agent", observation=7)
    talk.event("MessageEvent", "user", llm_message=7)
    talk.event("Condensation", "agent", thought=7)
    talk.event("MessageEvent", "user")
    talk.save()
    events, problems = read_all(agent_of(talk))
    assert events == []
    assert [(each.kind, each.detail) for each in problems] == [
        (ReadProblemKind.UNKNOWN, "NewEvent"),
        (ReadProblemKind.UNKNOWN, "NewerEvent"),
        (ReadProblemKind.MISSHAPEN, "MessageEvent"),
        (ReadProblemKind.MISSHAPEN, "MessageEvent"),
    ]


def test_conversations_are_found_where_they_are_kept_and_where_one_points(tmp_path: Path) -> None:
    for place in ("home/.openhands/conversations", "kept/conversations", "chosen", "elsewhere/deep"):
        talk = Conversation(1, tmp_path / place)
        talk.prompt(place)
        talk.save()
    home = tmp_path / "home"
    assert typed_texts(read_all(OpenHands(home, {}))[0]) == ["home/.openhands/conversations"]
    kept = {"OPENHANDS_PERSISTENCE_DIR": str(tmp_path / "kept")}
    assert typed_texts(read_all(OpenHands(home, kept))[0]) == ["kept/conversations"]
    chosen = {**kept, "OPENHANDS_CONVERSATIONS_DIR": str(tmp_path / "chosen")}
    assert typed_texts(read_all(OpenHands(home, chosen))[0]) == ["chosen"]
    (talk.folder / "base_state.json").unlink()
    pointed, _ = read_all(OpenHands(home, {}), tmp_path / "elsewhere")
    assert typed_texts(pointed) == ["elsewhere/deep"]
    assert pointed[0].place == ""
    (event,) = (talk.folder / "events").iterdir()
    assert detect_agent(event) == "openhands"
    event.write_text("{}")
    assert list(OpenHands(home, {}).sources(tmp_path / "elsewhere")) == []
    assert list(OpenHands(tmp_path / "nowhere", {}).sources()) == []


def story(talk: Conversation) -> None:
    """A conversation in which every kind of foreign text holds the payload, between prompts that are the user's."""
    talk.begin()
    for number in range(4):
        talk.message(f"typed {number}", added="PAYLOAD")
        talk.say("Sorry, PAYLOAD.")
        talk.shell("cat a | tail", "error: PAYLOAD", 0)
        talk.shell(f"make {number}", "error: PAYLOAD", 2)
        talk.refuse(talk.call("terminal", command="PAYLOAD"), "PAYLOAD", source="hook")
        talk.message("PAYLOAD", source="environment")
        talk.message("PAYLOAD", sender="main")
        talk.event("HookExecutionEvent", "hook", hook_input={"message": "PAYLOAD"})


@settings(deadline=None, max_examples=50)
@given(cuts=st.sets(st.integers(0, 60), max_size=8))
def test_a_conversation_that_grows_gives_the_same_as_one_that_is_whole(
    cuts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    talk = Conversation(1, tmp_path_factory.mktemp("grows") / ".openhands" / "conversations")
    story(talk)
    files, mark = talk.files, None
    grown: dict[str, Event] = {}
    for cut in [*sorted(cuts), len(files)]:
        talk.files = dict(list(files.items())[:cut])
        if talk.files:
            found, mark = batches(talk, mark)
            grown.update({event.id: grown.get(event.id, event) for batch in found for event in batch.events})
    assert grown == {event.id: event for event in read(talk)}
    assert [text for text in typed_texts(list(grown.values())) if text] == [f"typed {number}" for number in range(4)]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("seed", range(200))
def test_damage_costs_only_what_is_damaged(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    talk = Conversation(1, tmp_path / ".openhands" / "conversations")
    story(talk)
    hurt = chance.choice(list(talk.files))
    data = talk.files[hurt]
    cut = chance.randrange(len(data))
    talk.files[hurt] = chance.choice(
        [
            data[:cut],
            data[cut:],
            data[:cut] + bytes([chance.randrange(256)]) + data[cut + 1 :],
            data[:cut] + b"\0" * 20 + data[cut:],
            data + data,
            b"[" * 5000,
            json.dumps(chance.choice([7, None, [], {}, {"kind": []}, {"kind": "MessageEvent", "content": 5}])).encode(),
        ]
    )
    talk.save()
    events, _ = read_all(agent_of(talk))
    typed = [str(text) for text in typed_texts(events)]
    whole = [f"typed {number}" for number in range(4) if f'"typed {number}"'.encode() not in data]
    assert [text for text in whole if text not in typed] == []
    assert [text for text in typed if "PAYLOAD" in text] == []
