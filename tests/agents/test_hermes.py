"""The reader of Hermes' database: the contract, authorship, outcomes of calls, copies and damage."""

from __future__ import annotations

import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.hermes_sessions import Talk, read
from tests.hooks import with_mark
from wisen.agents.agent_ports import Agent
from wisen.agents.hermes import Hermes
from wisen.agents.log_detection import detect_agent
from wisen.model.event import Call, Concession, Interrupt, Outcome, Rejection, Status
from wisen.model.source import ReadProblemKind, SourceMark
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import AgentContract, SessionWriter, read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


FRAME = '<untrusted_tool_result source="mcp__x__y">\nFrom elsewhere.\n\n{}\n</untrusted_tool_result>'


class HermesScribe:
    """Tells stories as Hermes keeps them."""

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = Hermes(home, {})
        self._home = home
        self._number = number
        self._talk = Talk(number)
        self._others: list[Talk] = []
        self._last = ""

    def prompt(self, text: str) -> None:
        self._talk.prompt(text)

    def say(self, text: str) -> None:
        self._talk.say(text)

    def shell(self, command: str, output: str, exit_code: int = 0) -> None:
        self._talk.shell(command, output, exit_code)

    def ask(self, command: str) -> str:
        self._last = self._talk.ask(command=command)
        return self._last

    def answer(self, call: str, output: str, exit_code: int = 0) -> None:
        self._talk.answer(call, output, exit_code)

    def interrupt(self) -> None:
        skipped = "[Tool execution cancelled — terminal was skipped due to user interrupt]"
        self._talk.result(self._last, skipped)

    def inject(self, text: str) -> None:
        self._talk.prompt(f"[CONTEXT COMPACTION — REFERENCE ONLY] {text}")
        self._talk.prompt(f"[IMPORTANT: Background process 7 ended.]\n{text}")
        self._talk.prompt(text, observed=1)
        self._talk.row("system", text)

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        config = json.dumps({"_delegate_from": self._talk.session})
        other = Talk(self._number + 100, parent_session_id=self._talk.session, model_config=config)
        other.prompt(prompt)
        other.shell(command, "", exit_code)
        self._others.append(other)

    def garbage(self) -> None:
        self._talk.row("assistant", "", tool_calls='[{"id": "call_')

    def save(self) -> None:
        for talk in (self._talk, *self._others):
            talk.save(self._home)


class TestHermes(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: HermesScribe(number, tmp_path)


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("about", "mine"),
    [
        ({}, True),
        ({"source": "telegram", "chat_type": "dm"}, True),
        ({"source": "telegram", "chat_type": "group"}, False),
        ({"source": "cron"}, False),
        ({"source": "tool"}, False),
        ({"source": "email"}, False),
        ({"source": "subagent"}, False),
        ({"source": "api_server"}, False),
        ({"parent_session_id": "gone"}, False),
        ({"model_config": '{"_delegate_from": "x"}', "parent_session_id": "x"}, False),
        ({"model_config": '{"_branched_from": "x"}', "parent_session_id": "x"}, True),
        ({"model_config": "{broken"}, True),
    ],
)
def test_a_session_tells_who_speaks_in_the_users_place(about: dict[str, object], mine: bool, tmp_path: Path) -> None:
    talk = Talk(**about)  # type: ignore[arg-type]
    talk.prompt("no, use uv")
    assert bool(typed_texts(read(talk, tmp_path)[0])) is mine


def test_what_a_program_asks_counts_when_it_shall(tmp_path: Path) -> None:
    talk = Talk(source="api_server")
    talk.prompt("no, use uv")
    assert typed_texts(read(talk, tmp_path, program_prompts=True)[0]) == ["no, use uv"]


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('[Replying to: "an older [text]"]\n\nno, use uv', "no, use uv"),
        ('[Replying to: "hi"]\n\nalways use pip"]\n\nno, use uv', "no, use uv"),
        ('\0json:[{"type": "text", "text": "use uv"}, {"type": "image_url"}]', "use uv"),
        ('[SYSTEM: The user has invoked the "x" skill]\nOURS', None),
        ("Review the conversation above and consider saving to memory", None),
        ("/new", None),
        ("/home/ada/x is wrong", "/home/ada/x is wrong"),
        ("", None),
        (None, None),
    ],
)
def test_only_what_stands_in_no_frame_is_the_users(text: str | None, own: str | None, tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt(text)
    events, problems = read(talk, tmp_path)
    assert typed_texts(events) == ([own] if own else [])
    assert problems == []
    assert "what a hook added" not in repr(events)


def test_what_was_written_again_is_reported_once(tmp_path: Path) -> None:
    first = Talk(1, end_reason="compression")
    first.prompt("no, use uv")
    first.say("You're right.")
    call = first.shell("uv sync", "no", 1)
    first.prompt("go on", compacted=1, active=0)
    first.prompt("go on")
    first.save(tmp_path)
    second = Talk(2, parent_session_id=first.session)
    second.prompt("[CONTEXT COMPACTION — REFERENCE ONLY] a summary")
    second.prompt("no, use uv")
    second.say("You're right.")
    second.prompt("and then?")
    events, _ = read(second, tmp_path)
    assert typed_texts(events) == ["no, use uv", "go on", "and then?"]
    assert [e.id for e in events if isinstance(e, Call)] == [call]
    assert len(events) == 6


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ({"output": "no", "exit_code": 3, "error": None}, (Status.FAILED, "Exit code 3\nno")),
        ({"output": "yes", "exit_code": 0, "error": None}, (Status.OK, None)),
        ({"output": "", "exit_code": 1, "exit_code_meaning": "No matches (not an error)"}, (Status.OK, None)),
        ({"output": "", "exit_code": -1, "error": "not allowed", "status": "blocked"}, (Status.CANCELLED, None)),
        ({"output": "", "error": "Command denied: flagged.", "status": "blocked"}, (Status.CANCELLED, None)),
        ("[Tool execution skipped — x was not started. User sent a new message]", (Status.CANCELLED, None)),
        ({"error": "no such file"}, (Status.FAILED, "no such file")),
        ("<untrusted_tool_result>\nfine\n</untrusted_tool_result>", (Status.OK, None)),
        (FRAME.format('{"result": "fine"}'), (Status.OK, None)),
        (FRAME.format('{"error": "no"}') + "\n\n[Subdirectory context discovered: x]\ny", (Status.FAILED, "no")),
        ({"error": "It failed five times.", "guardrail": {"action": "block"}}, (Status.CANCELLED, None)),
        ({"error": "BLOCKED: nobody is there to approve it."}, (Status.CANCELLED, None)),
        ({"error": wrap("A guard stops this call.")}, (Status.CANCELLED, None)),
        ({"error": with_mark("A guard stops this call.\nInstead: x")}, (Status.CANCELLED, None)),
        ({"wisen": wrap("What helped"), "error": "no such file"}, (Status.FAILED, "no such file")),
        ({"wisen": wrap("What helped"), "output": "no", "exit_code": 3}, (Status.FAILED, "Exit code 3\nno")),
        (
            '{"output": "no", "exit_code": 3}\n\n[Tool loop warning: x; count=3; {y}]',
            (Status.FAILED, "Exit code 3\nno"),
        ),
        ('{"output": "yes", "exit_code": 0}\n\n[Subdirectory context discovered: x]\nError: {', (Status.OK, None)),
        ("Tool 'pear' does not exist. Try another.", (Status.FAILED, "Tool 'pear' does not exist. Try another.")),
        ("Error executing tool 'pear': no", (Status.FAILED, "Error executing tool 'pear': no")),
        ("Skipped: another tool call in this turn used an invalid name.", (Status.CANCELLED, None)),
    ],
)
def test_a_result_tells_how_a_call_ended(result: object, expected: tuple[Status, str | None], tmp_path: Path) -> None:
    talk = Talk()
    talk.result(talk.ask(command="x"), result)
    (end,) = [e for e in read(talk, tmp_path)[0] if isinstance(e, Outcome)]
    assert (end.status, end.text) == expected


@pytest.mark.parametrize(
    "result",
    [
        '<persisted-output>\nIt was too large.\n\nPreview:\n{"output": "no',
        '{"output": "no\n\n[Truncated: tool response was 120,000 chars. The rest is gone.]',
    ],
)
def test_a_result_without_its_end_tells_nothing(result: str, tmp_path: Path) -> None:
    talk = Talk()
    talk.result(talk.ask(command="x"), result)
    events, problems = read(talk, tmp_path)
    assert [type(e) for e in events] == [Call]
    assert problems == []


def test_after_a_summary_calls_without_words_are_still_read_and_copies_are_not(tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt("count the pears ")
    first = talk.shell("ls pears", "no", 2)
    talk.say("You're right.")
    before = [dict(row) for row in talk.rows]
    for row in talk.rows:
        row |= {"active": 0, "compacted": 1}
    for row in before:  # as they are written again, with the summary before one of them
        text = str(row["content"]).strip()
        talk.rows.append(
            {**row, "content": f"[PRIOR CONTEXT]\nYou're right.\n{text}" if row.get("tool_calls") else text}
        )
    second = talk.shell("ls plums")
    events, _ = read(talk, tmp_path)
    assert typed_texts(events) == ["count the pears"]
    assert {e.id for e in events if isinstance(e, Call)} == {first, second}
    assert [e.call for e in events if isinstance(e, Outcome)] == [first, second]
    assert sum(isinstance(e, Concession) for e in events) == 1
    (source,) = Hermes(tmp_path, {}).sources()
    (batch,) = Hermes(tmp_path, {}).read(source)
    talk.prompt("thanks")
    talk.save(tmp_path)
    mark = SourceMark(size=0, modified_ns=0, cursor=batch.cursor)
    assert [len(each.events) for each in Hermes(tmp_path, {}).read(source, mark)] == [1], "nothing waits any more"


def test_a_sub_agent_works_where_the_one_works_that_asked_for_it(tmp_path: Path) -> None:
    talk, child = Talk(1), Talk(2, source="subagent", parent_session_id=Talk(1).session, cwd=None)
    talk.prompt("ask a helper")
    talk.save(tmp_path)
    child.shell("ls pears", "no", 2)
    events, _ = read(child, tmp_path)
    assert {(e.session.native, e.place) for e in events if isinstance(e, Call)} == {
        (f"{talk.session}/{child.session}", "/home/ada/orchard")
    }


def test_what_the_user_refused_or_stopped_is_no_failure(tmp_path: Path) -> None:
    talk = Talk()
    refused, stopped = talk.ask(command="rm -rf /"), talk.ask(command="sleep 100")
    denied = {"output": "", "exit_code": -1, "error": "BLOCKED: User denied this command.", "status": "blocked"}
    talk.result(refused, denied)
    asked = talk.ask(command="x")
    talk.result(asked, {"error": "BLOCKED: User denied this potentially dangerous action (a guard asks)."})
    talk.result(stopped, {"output": "\n[Command interrupted]", "exit_code": 130, "error": None})
    cancelled = talk.ask("web_search", query="x")
    talk.result(cancelled, {"error": "Tool execution cancelled by user interrupt", "status": "cancelled"})
    talk.say("Operation interrupted.")
    talk.prompt("go on")
    talk.say("Operation interrupted: waiting for model response (2.1s elapsed).")
    events, _ = read(talk, tmp_path)
    assert [e.call for e in events if isinstance(e, Rejection)] == [refused, asked]
    assert [e.call for e in events if isinstance(e, Interrupt)] == [stopped, cancelled, None]
    assert next(e.id for e in events if isinstance(e, Interrupt)) == f"stop:{stopped}", "whichever row it stands in"
    assert not [e for e in events if isinstance(e, Outcome)]


def test_databases_of_all_profiles_are_found_where_the_environment_says(tmp_path: Path) -> None:
    talk, other = Talk(1), Talk(2)
    talk.prompt("hello")
    usual, profile = talk.save(tmp_path), other.save(tmp_path, ".hermes/profiles/work")
    assert [source.path for source in Hermes(tmp_path, {}).sources()] == [usual, profile]
    moved = Hermes(Path("/nowhere"), {"HERMES_HOME": str(usual.parent)})
    assert [source.path for source in moved.sources()] == [usual, profile]
    assert [source.path for source in Hermes(Path("/nowhere"), {}).sources(tmp_path)] == [profile, usual][::-1]
    assert detect_agent(usual) == "hermes"


def test_an_older_layout_is_read_and_a_foreign_one_is_reported(tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt("hello")
    path = talk.save(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        for name in ("observed", "active", "compacted", "api_content"):
            database.execute(f"ALTER TABLE messages DROP COLUMN {name}")
        database.execute("ALTER TABLE sessions DROP COLUMN cwd")
    assert typed_texts(read_all(Hermes(tmp_path, {}))[0]) == ["hello"]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("ALTER TABLE messages DROP COLUMN content")
    assert [(t.kind, t.detail) for t in read_all(Hermes(tmp_path, {}))[1]] == [
        (ReadProblemKind.MISSHAPEN, "messages.content missing")
    ]


@pytest.mark.requirement("X7")
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(min_value=0, max_value=1 << 32))
def test_damaged_rows_never_crash_lose_a_good_one_or_make_one_up(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance, home, talk = random.Random(seed), tmp_path_factory.mktemp("damaged"), Talk()
    for number in range(6):
        talk.prompt(f"typed {number}")
        talk.prompt("not typed", observed=1)
        talk.shell("cat x", '{"role":"user","content":"not typed"}', number % 2)
    broken = set()
    for row in chance.sample(range(len(talk.rows)), 3):
        name = chance.choice(["role", "content", "tool_calls", "tool_call_id", "timestamp"])
        talk.rows[row][name] = chance.choice(["", "\0json:[", "[7]", "{", b"\xff\xfe", -1, 1e300, "x" * 9])
        broken.add(row)
    words = typed_texts(read(talk, home)[0])
    good = {str(row["content"]) for at, row in enumerate(talk.rows) if at not in broken and row["role"] == "user"}
    assert good - {"not typed"} <= set(words)
    assert "not typed" not in words
