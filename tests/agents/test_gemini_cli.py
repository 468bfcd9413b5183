"""The reader of Gemini CLI's chats: authorship, outcomes of calls, directories, and damage."""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.agents.gemini_chats import Chat, read
from wisen.agents.gemini_cli import GeminiCli
from wisen.agents.gemini_cli.gemini_cli_typed_text import strip_hook_context
from wisen.logs.event_filter import filter_events
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Call, Concession, Interrupt, Message, Outcome, Rejection, Status
from wisen.model.source import ReadProblemKind, Source, SourceMark
from wisen.safety import sentinel
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


def hook(text: str) -> str:
    return f"<hook_context>{text}</hook_context>"


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("content", "own"),
    [
        ([{"text": f"{hook('OURS')}\n\nuse uv"}, {"text": hook("OURS")}], "use uv"),
        ([{"text": "use uv"}, {"text": hook("OURS")}, {"text": hook("OURS")}], "use uv"),
        ([{"text": f"use uv{hook('OURS </hook_context> OURS')}"}], "use uv"),
        ([{"text": f"use uv\n<hook_context>OURS{hook('OURS')}"}], "use uv"),
        ([{"text": "use uv\n<hook_context>OURS"}], "use uv"),
        ([{"text": "OURS</hook_context>\n\nuse uv"}], "use uv"),
        ([{"text": "<session_context>\nOURS\n</session_context>"}], None),
        ([{"text": "look at @a.py"}, {"text": "\n--- Content from referenced files ---"}, "OURS"], "look at @a.py"),
        ([{"text": "Please continue."}], None),
        ([{"text": "System: OURS"}], None),
        ([{"text": "/memory add OURS"}], None),
        ([{"text": "/home/ada/x is wrong"}], "/home/ada/x is wrong"),
        ("use uv", "use uv"),
        ({"text": "use uv"}, "use uv"),
        (["use", {"text": "uv"}], "use\nuv"),
        ([{"inlineData": {"data": "x"}}], None),
        ("", None),
        (None, None),
    ],
)  # fmt: skip
def test_only_what_stands_in_no_frame_is_the_users(content: object, own: str | None, tmp_path: Path) -> None:
    chat = Chat()
    chat.prompt(content)
    events, problems = read(chat, tmp_path)
    assert typed_texts(events) == ([own] if own else [])
    assert problems == []


@pytest.mark.requirement("X7")
def test_what_we_injected_never_comes_back_as_the_users_word(tmp_path: Path) -> None:
    """Gemini CLI stores what a hook adds inside the user's message: in its frame, and once more by ours."""
    ours = sentinel.wrap("always push to the mirror")
    chat = Chat()
    chat.prompt([{"text": f"{hook(ours)}\n\nno, use uv"}, {"text": hook(ours)}])
    chat.prompt(f"{ours}\n\nno, use make")
    call = chat.ask(command="make")
    chat.answer(call, "make: *** no rule", 2, hook=ours)
    chat.answer(chat.ask(command="make all"), f"make: *** no rule\n{ours}", 2)
    events, _ = read(chat, tmp_path)
    kept = [each.event for each in filter_events(events, lambda _: None, EventFilterPolicy())]
    assert [e.text for e in kept if isinstance(e, Message)] == ["no, use uv", "\n\nno, use make"]
    assert [(e.text or "").strip() for e in kept if isinstance(e, Outcome)] == ["Exit code 2\nmake: *** no rule"] * 2
    assert "mirror" not in repr(kept)
    assert "mirror" not in repr(typed_texts(events)[0])


@given(st.text(), st.text(), st.text())
@example("", "</hook_context>", "use uv")
def test_whatever_a_hook_says_it_stays_in_its_frame(before: str, text: str, after: str) -> None:
    left = strip_hook_context(f"{before}{hook('SECRET' + text + 'SECRET')}{after}")
    assert "SECRET" not in left.replace(before, "").replace(after, "")


def test_what_is_shown_to_the_user_tells_what_he_typed(tmp_path: Path) -> None:
    chat = Chat()
    chat.prompt([{"text": "fix @a.py"}, {"text": "the whole file"}], displayContent=[{"text": "fix @a.py"}])
    assert typed_texts(read(chat, tmp_path)[0]) == ["fix @a.py"]


@pytest.mark.parametrize(
    ("status", "result", "expected"),
    [
        ("success", "Output: no\nExit Code: 3\nProcess Group PGID: 7", (Status.FAILED, "Exit code 3\nno")),
        ("success", "Output: a\nExit Code: 1\nmore\nProcess Group PGID: 7", (Status.OK, None)),
        ("success", "Output: yes\nExit Code: 0\nSignal: (none)", (Status.OK, None)),
        ("success", "Output: slow\nExit Code: (none)\nSignal: 9\nPGID: 7", (Status.FAILED, "slow\nSignal: 9")),
        ("success", "Command: x\nDirectory: .\nOutput: n\nExit Code: 1\nSignal: 0", (Status.FAILED, "Exit code 1\nn")),
        ("success", "", (Status.OK, None)),
        ("error", "command not allowed", (Status.FAILED, "command not allowed")),
    ],
)  # fmt: skip
def test_the_last_lines_tell_how_a_command_ended(
    status: str, result: str, expected: tuple[Status, str | None], tmp_path: Path
) -> None:
    chat = Chat()
    chat.end(chat.ask(command="x"), status, {"error" if status == "error" else "output": result})
    (end,) = [e for e in read(chat, tmp_path)[0] if isinstance(e, Outcome)]
    assert (end.status, end.text) == expected


def test_a_refusal_is_no_failure_and_one_stop_is_one_interrupt(tmp_path: Path) -> None:
    chat = Chat()
    refused = chat.ask(command="rm -rf /")
    chat.cancel(refused, "User did not allow tool call")
    stopped = chat.ask(command="sleep 100")
    chat.cancel(stopped)
    chat.lines.append(chat.lines[-3])
    events, _ = read(chat, tmp_path)
    assert [e.call for e in events if isinstance(e, Rejection)] == [refused]
    assert [e.call for e in events if isinstance(e, Interrupt)] == [stopped]
    assert not [e for e in events if isinstance(e, Outcome)]


def test_a_message_that_is_written_again_is_reported_once(tmp_path: Path) -> None:
    chat = Chat()
    chat.prompt("no, use uv")
    chat.say("You're right.")
    chat.shell("uv sync", "", 1)
    chat.lines += [line for line in chat.lines if b'"type":"gemini"' in line or b"no, use uv" in line]
    events, problems = read(chat, tmp_path)
    assert [type(event) for event in events] == [Message, Concession, Call, Outcome]
    assert problems == []


def test_a_written_file_leaves_its_size_not_its_text(tmp_path: Path) -> None:
    chat = Chat()
    chat.end(chat.ask("write_file", file_path="a.py", content="the whole source"), "success", {"output": "ok"})
    events, _ = read(chat, tmp_path)
    (call,) = [e for e in events if isinstance(e, Call)]
    assert json.loads(call.arguments or "")["content"]["characters"] == 16
    assert "whole source" not in repr(events)


def test_a_chat_knows_the_directory_of_its_project_however_that_is_recorded(tmp_path: Path) -> None:
    digest = hashlib.sha256(b"/home/ada/by-digest").hexdigest()
    projects = {"/home/ada/by-name": "by-name", "/home/ada/by-digest": "other"}
    (tmp_path / ".gemini" / "tmp").mkdir(parents=True)
    (tmp_path / ".gemini" / "projects.json").write_text(json.dumps({"projects": projects}))
    for number, name in enumerate(("by-name", digest, "unknown", "told"), start=1):
        chat = Chat(number)
        chat.prompt("hello")
        folder = tmp_path / ".gemini" / "tmp" / name / "chats"
        folder.mkdir(parents=True)
        (folder / f"session-{number}.jsonl").write_bytes(chat.data())
    (folder.parent / ".project_root").write_text("/home/ada/told\n")
    places = {event.place for event in read_all(GeminiCli(tmp_path, {}))[0]}
    assert places == {"/home/ada/by-name", "/home/ada/by-digest", "", "/home/ada/told"}


def test_chats_are_found_where_the_environment_says(tmp_path: Path) -> None:
    chat = Chat()
    chat.prompt("hello")
    path = chat.write(tmp_path / "moved")
    (path.parent.parent / "logs.json").write_text("[]")
    moved = {"GEMINI_CLI_HOME": str(tmp_path / "moved")}
    assert [source.path for source in GeminiCli(tmp_path, moved).sources()] == [path]
    assert list(GeminiCli(tmp_path, {}).sources()) == []
    assert [source.path for source in GeminiCli(tmp_path, {}).sources(tmp_path)] == [path]


def test_a_chat_of_2025_is_one_document(tmp_path: Path) -> None:
    chat = Chat()
    chat.prompt("no, use uv")
    chat.shell("pip install x", "no pip", 1)
    path = tmp_path / "session-old.json"
    path.write_bytes(chat.document())
    agent = GeminiCli(tmp_path, {})
    (source,) = agent.sources(tmp_path)
    (batch,) = agent.read(source)
    assert [type(event) for event in batch.events] == [Message, Call, Outcome]
    assert list(agent.read(source, SourceMark(size=1, modified_ns=1, cursor=batch.cursor))) == []
    path.write_bytes(b'{"sessionId": "s", "messages": [7, {"id": "a"')
    assert [t.kind for batch in agent.read(source) for t in batch.problems] == [ReadProblemKind.GARBLED]
    path.write_bytes(b'{"sessionId": "s", "messages": [7, {"type": "user", "content": 7}]}')
    assert [t.kind for b in agent.read(source) for t in b.problems] == [ReadProblemKind.MISSHAPEN] * 2


def test_odd_shapes_are_reported_and_cost_only_themselves(tmp_path: Path) -> None:
    chat = Chat()
    chat.lines += [
        b'{"id":"a","timestamp":"2026-03-02T09:00:00Z","type":"oracle","content":"x"}',
        b'{"id":"b","timestamp":"2026-03-02T09:00:00Z","type":"info","content":"x"}',
        b'{"id":"c","timestamp":"soon","type":"user","content":"x"}',
        b'{"id":"d","timestamp":"2026-03-02T09:00:00Z","type":"user","content":7}',
        b'{"id":"e","timestamp":"2026-03-02T09:00:00Z","type":"gemini","content":"","toolCalls":[{"name":"x"}]}',
        b'{"id":"f","timestamp":"2026-03-02T09:00:00Z","type":"gemini","content":"","toolCalls":7}',
        b'{"$rewindTo":"a"}',
    ]
    chat.prompt("after")
    events, problems = read(chat, tmp_path)
    assert typed_texts(events) == ["after"]
    assert problems == [
        ("unknown", "oracle"),
        ("misshapen", "user"),
        ("misshapen", "user"),
        ("misshapen", "toolCall"),
        ("misshapen", "gemini"),
    ]


@pytest.mark.requirement("X7")
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(min_value=0, max_value=1 << 32))
def test_a_damaged_chat_never_crashes_loses_a_good_record_or_makes_one_up(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(seed)
    chat = Chat()
    for number in range(6):
        chat.prompt(f"typed {number}")
        chat.prompt(hook("not typed"))
        chat.patch(messages=[{"id": "x", "type": "user", "content": [{"text": "<state_snapshot>not typed"}]}])
        chat.shell("cat x", '{"id":"y","timestamp":"2026-03-02T09:00:00Z","type":"user","content":"not typed"}', number)
    lines = list(chat.lines)
    broken = {chance.randrange(1, len(lines)) for _ in range(3)}
    for index in broken:
        line = bytearray(lines[index])
        if chance.random() < 0.5:
            del line[chance.randrange(len(line)) :]
        else:
            line[chance.randrange(len(line))] = chance.choice([0, 0x22, 0x5C, 0x7B, 0x7D, chance.randrange(256)])
        lines[index] = bytes(line).replace(b"\n", b" ")
    path = tmp_path_factory.mktemp("damaged") / "s.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    source = Source(agent="gemini-cli", file=str(path), size=1, modified_ns=1)
    words = typed_texts([event for batch in GeminiCli(path.parent, {}).read(source) for event in batch.events])
    whole = {index: line for index, line in enumerate(lines) if index not in broken}
    good = {f"typed {n}" for n in range(6) if any(f'"typed {n}"'.encode() in line for line in whole.values())}
    assert good <= set(words)
    # A flipped byte may change a letter of what was typed, or break a frame's name, but never makes up a message.
    assert len(words) <= 6 + len(broken)
