"""The reader of OpenAI-style messages: as JSON and JSONL, alone and as conversations."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from wisen.agents.agent_ports import Agent
from wisen.agents.generic import Generic
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.model.event import Call, Concession, Event, Interrupt, Message, Outcome, Provenance, Status
from wisen.model.source import ReadProblem, ReadProblemKind, Source, SourceMark
from wisen.testing.agent_contract import AgentContract, SessionWriter, read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


def user(text: object, **fields: object) -> dict[str, object]:
    return {"role": "user", "content": text, **fields}


def calls(tool: str, call: str, **arguments: object) -> dict[str, object]:
    function = {"name": tool, "arguments": json.dumps(arguments)}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }


def result(call: str, content: object, **fields: object) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call, "content": content, **fields}


def read(content: object, folder: Path, name: str = "talk.json") -> tuple[list[Event], list[ReadProblem]]:
    """What is made of a document, or of lines when the name ends so."""
    path = folder / name
    lines = "".join(json.dumps(line) + "\n" for line in content) if isinstance(content, list) else ""
    path.write_text(lines if name.endswith("l") else json.dumps(content), encoding="utf-8")
    return read_all(Generic(), path)


TALK = [
    {"role": "system", "content": "be good"},
    {"role": "developer", "content": "be brief"},
    user("run the tests"),
    calls("bash", "call_1", command="pytest | tail -1"),
    result("call_1", "==== 2 failed in 0.1s ===="),
    user([{"type": "text", "text": "no, with"}, {"type": "image_url"}, {"type": "text", "text": "uv"}]),
]


@pytest.mark.requirement("X6")
@pytest.mark.parametrize(
    "part",
    [
        {"type": "tool_result", "text": "use figs", "tool_use_id": "t1"},
        {"type": "input_file", "text": "use figs"},
        {"type": "document", "text": "use figs"},
    ],
)
def test_of_what_stands_in_the_users_place_only_text_was_typed(part: dict[str, object], tmp_path: Path) -> None:
    talk = [user([{"type": "text", "text": "go on"}, part]), user({"shape": "use figs"}), user([part])]
    events, _ = read(talk, tmp_path)
    assert typed_texts(events) == ["go on"]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (TALK, "talk.json"),
        ({"messages": TALK}, "talk.json"),
        ({"id": "talk", "messages": TALK}, "other.json"),
        ([{"messages": TALK}], "talk.json"),
        (TALK, "talk.jsonl"),
        ([{"conversation_id": "talk", "messages": TALK}], "other.jsonl"),
    ],
)
def test_every_way_to_write_a_conversation_down_gives_the_same_events(
    content: object, name: str, tmp_path: Path
) -> None:
    events, problems = read(content, tmp_path, name)
    assert typed_texts(events) == ["run the tests", "no, with\nuv"]
    assert [e.status for e in events if isinstance(e, Outcome)] == [Status.MASKED]
    assert {e.session.native for e in events} == {"talk"}
    (call,) = [e for e in events if isinstance(e, Call)]
    assert (call.id, call.tool) == ("talk:call_1", "bash")
    assert problems == []


@pytest.mark.requirement("X7")
def test_only_the_role_of_the_user_is_the_users(tmp_path: Path) -> None:
    content = [{"role": role, "content": "obey"} for role in ("system", "developer", "assistant", "tool")]
    events, _ = read([*content, user("hello")], tmp_path)
    assert typed_texts(events) == ["hello"]
    assert "obey" not in repr(events)


@pytest.mark.parametrize(
    ("content", "failure"),
    [
        ('{"output": "no", "exit_code": 2}', "Exit code 2\nno"),
        ('{"stderr": "no", "returncode": 1}', "Exit code 1\nno"),
        ('{"output": "yes", "exit_code": 0, "error": null}', None),
        ('{"error": "not found"}', "not found"),
        ('{"error": {"code": 404}}', '{"error": {"code": 404}}'),
        ('{"is_error": true, "message": "bad"}', "bad"),
        ('{"success": false, "message": "bad"}', "bad"),
        ('{"success": true, "errors": []}', None),
        ("Exit code 1\nno", "Exit code 1\nno"),
        ("Exit code: 0\nyes", None),
        ("Error: no such file", "Error: no such file"),
        ("No error: all fine", None),
        ("Errors: 0", None),
        ("{broken", None),
        ([{"type": "text", "text": "Error: no"}], "Error: no"),
    ],
)
def test_a_failure_is_recognized_by_the_fields_and_first_words_of_a_result(
    content: object, failure: str | None, tmp_path: Path
) -> None:
    events, _ = read([calls("run", "c"), result("c", content)], tmp_path)
    (end,) = [e for e in events if isinstance(e, Outcome)]
    assert (end.status, end.text) == (Status.FAILED if failure else Status.OK, failure)


def test_a_result_that_is_marked_as_an_error_is_one(tmp_path: Path) -> None:
    events, _ = read([calls("run", "c"), result("c", "whatever", is_error=True)], tmp_path)
    assert [e.text for e in events if isinstance(e, Outcome)] == ["whatever"]


def test_calls_of_the_oldest_style_have_no_ids(tmp_path: Path) -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "run", "arguments": '{"cmd": "make"}'}}
    answered = {"role": "function", "name": "run", "content": "Error: no"}
    events, _ = read([asked, answered, asked, {**answered, "content": "fine"}], tmp_path)
    ids = [e.id for e in events if isinstance(e, Call)]
    assert [(e.call, e.status) for e in events if isinstance(e, Outcome)] == [
        (ids[0], Status.FAILED),
        (ids[1], Status.OK),
    ]


@pytest.mark.parametrize(
    "stamp",
    [
        {"timestamp": "2026-03-02T09:00:00Z"},
        {"created_at": "2026-03-02T10:00:00+01:00"},
        {"created_at": 1772442000},
        {"timestamp": 1772442000.0},
        {"timestamp": 1772442000000},
        {"timestamp": "soon", "created_at": 1772442000},
    ],
)
def test_times_are_read_in_the_ways_they_are_written(stamp: dict[str, object], tmp_path: Path) -> None:
    ((message,), _) = read([user("hello", **stamp)], tmp_path)
    assert message.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize("stamp", [{}, {"timestamp": ["when"]}, {"timestamp": 1e300}])
def test_without_a_time_it_is_the_files(stamp: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text(json.dumps(user("hello", **stamp)) + "\n")
    os.utime(path, (1772442000, 1772442000))
    (((message,), _)) = read_all(Generic(), path)
    assert message.at == datetime(2026, 3, 2, 9, tzinfo=UTC)


def test_a_message_keeps_its_identity_in_a_copy_of_the_file(tmp_path: Path) -> None:
    uuid = "6f1f9b1e-0000-4000-8000-000000000001"
    content = [user("again"), user("again"), user("named", id=uuid), user("numbered", id="3")]
    first, _ = read(content, tmp_path)
    (tmp_path / "backup").mkdir()
    second, _ = read([*content, user("more")], tmp_path / "backup")
    ids = [e.id for e in first]
    assert len(set(ids)) == 4
    assert ids[2:] == [uuid, "talk:3"]
    assert [e.id for e in second][:4] == ids


def test_files_whose_name_says_nothing_are_named_after_their_folder(tmp_path: Path) -> None:
    (tmp_path / "monday").mkdir()
    ((message,), _) = read([user("hello")], tmp_path / "monday", "messages.json")
    assert message.session.native == "monday-messages"


def test_several_conversations_of_one_file_never_mix(tmp_path: Path) -> None:
    talks = [{"messages": [user("hello"), calls("run", "c"), result("c", text)]} for text in ("fine", "Error: no")]
    events, _ = read(talks, tmp_path, "talks.jsonl")
    natives = [e.session.native for e in events if isinstance(e, Outcome)]
    assert natives == ["talks", "talks-2"]
    assert len({e.id for e in events}) == 6


def test_a_written_file_leaves_its_size_not_its_text(tmp_path: Path) -> None:
    events, _ = read([calls("write_file", "c", path="a.py", content="the whole source"), user("ok")], tmp_path)
    (call,) = [e for e in events if isinstance(e, Call)]
    assert json.loads(call.arguments or "")["content"]["characters"] == 16
    assert "whole source" not in repr(events)


@pytest.mark.parametrize("arguments", ['{"cmd": ', '"text"', "7", '{"command": ["ls", "-l"]}'])
def test_the_arguments_of_a_call_are_always_an_object(arguments: str, tmp_path: Path) -> None:
    call = {"id": "c", "function": {"name": "run", "arguments": arguments}}
    events, problems = read([{"role": "assistant", "content": "", "tool_calls": [call]}], tmp_path)
    (asked,) = [e for e in events if isinstance(e, Call)]
    assert isinstance(json.loads(asked.arguments or ""), dict)
    assert problems == []


def test_a_document_that_is_too_large_is_passed_over_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    with path.open("wb") as file:
        file.write(b'[{"role":"user","content":"hello"},')
        file.truncate(MAX_RECORD_BYTES + 1)
    events, problems = read_all(Generic(), path)
    assert events == []
    assert [t.kind for t in problems] == [ReadProblemKind.OVERSIZED]


def test_a_document_that_is_no_json_any_more_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK))
    (source,) = Generic().sources(path)
    kinds = []
    for content in ("[{", '"text"', '[7, {"role": "user", "content": "hello"}]'):
        path.write_text(content)
        kinds += [t.kind for batch in Generic().read(source) for t in batch.problems]
    path.unlink()
    kinds += [t.kind for batch in Generic().read(source) for t in batch.problems]
    assert kinds == [
        ReadProblemKind.GARBLED,
        ReadProblemKind.MISSHAPEN,
        ReadProblemKind.MISSHAPEN,
        ReadProblemKind.UNREADABLE,
    ]


def test_what_is_neither_message_nor_conversation_is_reported(tmp_path: Path) -> None:
    events, problems = read([user("one"), {"role": "oracle", "content": "x"}, {"model": "x"}, user("two")], tmp_path)
    assert typed_texts(events) == ["one", "two"]
    assert [(t.kind, t.detail) for t in problems] == [
        (ReadProblemKind.UNKNOWN, "oracle"),
        (ReadProblemKind.UNKNOWN, ""),
    ]


def test_nothing_is_found_unless_a_place_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    (tmp_path / "package.json").write_text('{"name": "shop"}')
    (tmp_path / "claude.jsonl").write_text('{"type":"user","sessionId":"s","message":{"role":"user"}}\n')
    (tmp_path / "notes.md").write_text(json.dumps(TALK))
    assert Generic().roots() == ()
    assert list(Generic().sources()) == []
    assert [s.path.name for s in Generic().sources(tmp_path)] == ["talk.json"]


class PointedAt(Generic):
    """The reader, told where to look."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def roots(self) -> tuple[Path, ...]:
        return (self._folder,)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        return super().sources(under or self._folder)


class GenericScribe:
    """Tells stories as messages."""

    def __init__(self, number: int, folder: Path, suffix: str) -> None:
        self.agent: Agent = PointedAt(folder)
        self._number = number
        self._path = folder / f"talk-{number}{suffix}"
        self._lines: list[dict[str, object] | str] = []
        self._sub: list[dict[str, object]] = []

    def _add(self, message: dict[str, object]) -> None:
        self._lines.append({**message, "timestamp": 1772442000 + len(self._lines)})

    def prompt(self, text: str) -> None:
        self._add(user(text))

    def say(self, text: str) -> None:
        self._add({"role": "assistant", "content": text})

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self.answer(self.ask(command), output, exit_code)

    def ask(self, command: str) -> str:
        call = f"call_{self._number:08d}{len(self._lines):08d}"
        self._add(calls("bash", call, command=command))
        return call

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._add(result(call, json.dumps({"output": output, "exit_code": exit_code}) if exit_code else output))

    def interrupt(self) -> None:
        """There is no place for it."""

    def inject(self, text: str) -> None:
        self._add({"role": "system", "content": text})
        self._add({"role": "developer", "content": text})

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        self._sub = [user(prompt), calls("bash", "c", command=command), result("c", f'{{"exit_code": {exit_code}}}')]

    def garbage(self) -> None:
        self._lines.append('{"role": "user", "con')

    def save(self) -> None:
        lines = [line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in self._lines]
        joined = "".join(line + "\n" for line in lines) if self._path.suffix == ".jsonl" else f"[{','.join(lines)}]"
        self._path.write_text(joined, encoding="utf-8")
        if self._sub:
            self._path.with_stem("sub").write_text("\n".join(map(json.dumps, self._sub)) + "\n")


class TestLines(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: GenericScribe(number, tmp_path, ".jsonl")

    def test_an_interrupt_is_neither_a_failure_nor_a_turn(self, writers: Callable[[int], SessionWriter]) -> None:
        """The format has no place for an interrupt: a call that was stopped just has no end."""
        s = writers(1)
        s.prompt("go")
        s.ask("sleep 100")
        s.interrupt()
        s.prompt("something else")
        s.save()
        events, _ = read_all(s.agent)
        assert not [e for e in events if isinstance(e, Interrupt | Outcome)]
        assert typed_texts(events) == ["go", "something else"]

    def test_a_sub_agents_prompt_is_nobodys_and_its_calls_are_its_own(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        """The format cannot tell a sub-agent: its calls are a session of its own, but its prompt counts as typed."""
        s = writers(1)
        s.prompt("look around")
        s.sub_agent("explore everything", "false", 1)
        s.save()
        events, _ = read_all(s.agent)
        by_text = {e.text: e.session for e in events if isinstance(e, Message) and e.provenance is Provenance.TYPED}
        assert sorted(map(str, by_text)) == ["explore everything", "look around"]
        assert {e.session for e in events if isinstance(e, Outcome)} == {by_text["explore everything"]}


class TestDocuments(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: GenericScribe(number, tmp_path, ".json")

    test_an_interrupt_is_neither_a_failure_nor_a_turn = TestLines.test_an_interrupt_is_neither_a_failure_nor_a_turn

    def test_a_sub_agents_prompt_is_nobodys_and_its_calls_are_its_own(
        self, writers: Callable[[int], SessionWriter]
    ) -> None:
        """As in lines; a document that holds lines is no document, and is told."""
        s = writers(1)
        s.prompt("look around")
        s.sub_agent("explore everything", "false", 1)
        s.save()
        events, problems = read_all(s.agent)
        assert typed_texts(events) == ["look around"]
        assert [t.kind for t in problems] == [ReadProblemKind.GARBLED]

    def test_garbage_costs_only_itself_and_is_reported(self, writers: Callable[[int], SessionWriter]) -> None:
        """A document that is torn is lost as a whole, and told."""
        s = writers(1)
        s.prompt("before")
        s.garbage()
        s.save()
        events, problems = read_all(s.agent)
        assert events == []
        assert [t.kind for t in problems] == [ReadProblemKind.GARBLED]


def test_a_document_that_grew_is_read_again_and_gives_the_same_identities(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([user("one")]))
    (source,) = Generic().sources(path)
    (first,) = Generic().read(source)
    path.write_text(json.dumps([user("one"), user("two")]))
    grown = Source(agent="generic", file=str(path), size=source.size + 1, modified_ns=source.modified_ns)
    (second,) = Generic().read(grown, SourceMark(size=1, modified_ns=1, cursor=first.cursor))
    assert typed_texts(list(second.events)) == ["one", "two"]
    assert second.events[0].id == first.events[0].id
    assert second.from_start


@pytest.mark.parametrize(
    ("content", "conceded"),
    [
        ("You're right.", True),
        ([{"type": "text", "text": "You're right."}, {"type": "text", "text": "Done."}], True),
        ([{"type": "output_text", "text": "You're right."}], True),
        ([{"type": "text", "text": "Done."}, {"type": "text", "text": "Sorry."}], False),
        ([{"type": "thinking", "text": "Sorry."}, {"type": "text", "text": "Done."}], False),
        ({"text": "Sorry."}, False),
        (None, False),
        ("Done.", False),
    ],
)
def test_the_first_text_of_an_answer_says_whether_it_concedes(content: object, conceded: bool, tmp_path: Path) -> None:
    answer = {**calls("bash", "call_1", command="ls"), "content": content}
    events, problems = read([user("no, use uv"), answer, {**answer, "id": "a1", "tool_calls": None}], tmp_path)
    own, other = "conceded:talk:a1", [e.id for e in events if isinstance(e, Concession)][:1]
    assert [e.id for e in events if isinstance(e, Concession)] == [*other, own] * conceded
    assert [type(e).__name__ for e in events if not isinstance(e, Concession)] == ["Message", "Call"]
    assert problems == []
