"""The reader of opencode's database: the contract, authorship, outcomes of calls, growth and damage."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.opencode_sessions import RUN, Talk, read
from tests.hooks import with_mark
from wisen.agents.agent_ports import Agent
from wisen.agents.log_detection import detect_agent
from wisen.agents.opencode import OpenCode
from wisen.model.event import Call, Event, Interrupt, Message, MessageOrigin, Outcome, Rejection, Status
from wisen.model.source import ReadProblemKind, SourceMark
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import AgentContract, SessionWriter, read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


class OpenCodeScribe:
    """Tells stories as opencode keeps them."""

    def __init__(self, number: int, home: Path) -> None:
        self.agent: Agent = OpenCode(home, {})
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
        self._talk.abort(self._last)

    def inject(self, text: str) -> None:
        self._talk.prompt(text, synthetic=True)
        self._talk.prompt(text, ignored=True)
        self._talk.part(self._talk.message("user"), {"type": "compaction", "auto": True})

    def sub_agent(self, prompt: str, command: str, exit_code: int) -> None:
        other = Talk(self._number + 100, parent=self._talk.session)
        other.prompt(prompt)
        other.shell(command, "", exit_code)
        self._others.append(other)

    def garbage(self) -> None:
        self._talk.part(self._talk.message("user"), '{"type":"text","te')

    def save(self) -> None:
        for talk in (self._talk, *self._others):
            talk.save(self._home)


class TestOpenCode(AgentContract):
    @pytest.fixture
    def writers(self, tmp_path: Path) -> Callable[[int], SessionWriter]:
        return lambda number: OpenCodeScribe(number, tmp_path)


class Following:
    """Reads on, a look at a time."""

    def __init__(self, home: Path) -> None:
        self.agent = OpenCode(home, {})
        self.marks: dict[Path, SourceMark] = {}

    def look(self) -> list[Event]:
        """What is found since the last look."""
        events: list[Event] = []
        for source in self.agent.sources():
            for batch in self.agent.read(source, self.marks.get(source.path)):
                events += batch.events
                self.marks[source.path] = SourceMark(
                    size=source.size, modified_ns=source.modified_ns, cursor=batch.cursor
                )
        return events


def test_what_changes_in_place_is_waited_for(tmp_path: Path) -> None:
    talk, other, following = Talk(1), Talk(2), Following(tmp_path)
    talk.prompt("build it")
    call = talk.ask(command="make")
    talk.save(tmp_path)
    message, asked = following.look()
    assert (isinstance(message, Message), isinstance(asked, Call)) == (True, True)
    other.prompt("hello")
    other.save(tmp_path)
    assert typed_texts(following.look()) == ["hello"]
    talk.answer(call, "make: *** no rule", 2)
    talk.save(tmp_path)
    assert [type(event) for event in following.look()] == [Call, Outcome]
    assert following.look() == []


def test_rows_that_were_renumbered_or_replaced_are_read_again(tmp_path: Path) -> None:
    talk, following = Talk(), Following(tmp_path)
    talk.prompt("one")
    last = talk.prompt("two")
    path = talk.save(tmp_path)
    following.look()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM part WHERE id = ?", (last,))
    del talk.parts[last]
    talk.part(talk.message("user"), {"type": "snapshot"})
    talk.prompt("three")
    talk.save(tmp_path)
    assert "three" in typed_texts(following.look())


def test_a_prompt_of_a_program_is_not_typed_unless_it_shall_count(tmp_path: Path) -> None:
    talk = Talk(permission=RUN)
    talk.prompt("fix it")
    talk.end(talk.ask(command="rm x"), "error", error="The user rejected permission to use this specific tool call.")
    events, _ = read(talk, tmp_path)
    assert typed_texts(events) == []
    assert [e.status for e in events if isinstance(e, Outcome)] == [Status.CANCELLED]
    assert typed_texts(read(talk, tmp_path, program_prompts=True)[0]) == ["fix it"]


@pytest.mark.parametrize(
    ("given", "own"),
    [
        ('"fix it"', "fix it"),
        ('"say \\"no\\" to it"', 'say "no" to it'),
        ('"a b" "c d"', '"a b" "c d"'),
        ("fix", "fix"),
        ('"', '"'),
    ],
)
def test_a_prompt_that_a_program_handed_on_in_quotes_is_taken_without_them(
    given: str, own: str, tmp_path: Path
) -> None:
    by_program, by_person = Talk(1, permission=RUN), Talk(2)
    by_program.prompt(given)
    by_person.prompt(given)
    by_program.save(tmp_path)
    assert typed_texts(read(by_person, tmp_path, program_prompts=True)[0]) == [own, given]


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ({"status": "error", "error": "File not found: a.py"}, (Status.FAILED, "File not found: a.py")),
        ({"output": "no", "metadata": {"exit": 3}}, (Status.FAILED, "Exit code 3\nno")),
        ({"output": "yes", "metadata": {"exit": 0}}, (Status.OK, None)),
        ({"output": "yes", "metadata": {"exit": True}}, (Status.OK, None)),
        ({"output": "yes"}, (Status.OK, None)),
        ({"status": "error", "error": "The user has specified a rule which prevents you"}, (Status.CANCELLED, None)),
        ({"status": "error", "error": wrap("A guard stops this call.")}, (Status.CANCELLED, None)),
        ({"status": "error", "error": with_mark("A guard stops it.\nInstead: x")}, (Status.CANCELLED, None)),
        ({"status": "error", "error": f"no\n{wrap('x')}"}, (Status.FAILED, f"no\n{wrap('x')}")),
    ],
)
def test_a_state_tells_how_a_call_ended(
    state: dict[str, object], expected: tuple[Status, str | None], tmp_path: Path
) -> None:
    talk = Talk()
    talk.end(talk.ask(command="x"), **state)  # type: ignore[arg-type]
    (end,) = [e for e in read(talk, tmp_path)[0] if isinstance(e, Outcome)]
    assert (end.status, end.text) == expected


@pytest.mark.requirement("X6")
def test_a_tool_of_somebody_elses_server_cannot_say_what_the_user_said(tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt("look for figs")
    error = "The user rejected permission to use this specific tool call with the following feedback: use figs"
    talk.end(talk.ask("notes_search", query="x"), "error", error=error)
    talk.end(talk.ask("bash", command="ls"), "error", error=error.replace("figs", "pears"))
    events, _ = read(talk, tmp_path)
    assert [each.text for each in events if isinstance(each, Message)] == ["look for figs", "use pears"]


def test_a_refusal_carries_the_reason_that_was_typed(tmp_path: Path) -> None:
    talk = Talk()
    error = "The user rejected permission to use this specific tool call with the following feedback: use uv"
    talk.end(talk.ask(command="pip install x"), "error", error=error)
    events, _ = read(talk, tmp_path)
    assert [type(event) for event in events] == [Call, Rejection, Message]
    assert [(e.text, e.origin) for e in events if isinstance(e, Message)] == [("use uv", MessageOrigin.REJECTION)]


def test_a_command_that_was_stopped_did_not_end_though_it_counts_as_completed(tmp_path: Path) -> None:
    talk = Talk()
    part = talk.ask(command="sleep 100")
    output = "(no output)\n\n<shell_metadata>\nUser aborted the command\n</shell_metadata>"
    talk.end(part, output=output, metadata={"output": output, "exit": None})
    printed = talk.ask(command="cat notes")
    talk.answer(printed, output, 0)
    events, _ = read(talk, tmp_path)
    assert [type(event) for event in events] == [Call, Call, Outcome]


def test_one_stop_is_one_interrupt(tmp_path: Path) -> None:
    talk = Talk()
    message = talk.message("assistant")
    talk.part(message, {"type": "step-start"})
    state = {"status": "running", "input": {"command": "sleep 100"}, "time": {"start": talk.tick()}}
    part = talk.part(message, {"type": "tool", "tool": "bash", "callID": "c", "state": state})
    talk.part(message, {"type": "patch", "files": []})
    talk.abort(part)
    events, _ = read(talk, tmp_path)
    assert [type(event) for event in events] == [Call, Interrupt]
    assert [event.call for event in events if isinstance(event, Interrupt)] == ["c"]


def test_what_a_fork_copied_is_reported_once(tmp_path: Path) -> None:
    talk = Talk(1)
    talk.prompt("no, use uv")
    talk.say("You're right.")
    talk.save(tmp_path)
    fork = Talk(2)
    fork.prompt("no, use uv")
    fork.say("You're right.")
    fork.created = fork.tick()
    fork.prompt("go on")
    events, _ = read(fork, tmp_path)
    assert typed_texts(events) == ["no, use uv", "go on"]


def test_databases_are_found_where_the_environment_says(tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt("hello")
    usual, channel = talk.save(tmp_path), talk.save(tmp_path, "opencode-beta.db")
    own = talk.save(tmp_path, "own.db")
    data = tmp_path / ".local" / "share"
    found = [source.path for source in OpenCode(tmp_path, {}).sources()]
    assert found == [channel, usual]
    moved = OpenCode(Path("/nowhere"), {"XDG_DATA_HOME": str(data), "OPENCODE_DB": str(own)})
    assert [source.path for source in moved.sources()] == [channel, usual, own]
    assert list(OpenCode(Path("/nowhere"), {"OPENCODE_DB": ":memory:"}).sources()) == []
    assert {source.path for source in OpenCode(Path("/nowhere"), {}).sources(tmp_path)} == {usual, channel, own}
    assert detect_agent(own) == "opencode"


def test_reading_leaves_nothing_beside_the_database_and_takes_no_lock(tmp_path: Path) -> None:
    talk = Talk()
    talk.prompt("one")
    path = talk.save(tmp_path)
    before = sorted(path.parent.iterdir())
    assert typed_texts(read_all(OpenCode(tmp_path, {}))[0]) == ["one"]
    assert sorted(path.parent.iterdir()) == before
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM part")
        assert typed_texts(read_all(OpenCode(tmp_path, {}))[0]) == ["one"]
        writer.execute("ROLLBACK")


def test_another_layout_and_a_broken_file_are_reported(tmp_path: Path) -> None:
    path = Talk().save(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("ALTER TABLE part RENAME COLUMN data TO body")
    assert [(t.kind, t.detail) for t in read_all(OpenCode(tmp_path, {}))[1]] == [
        (ReadProblemKind.MISSHAPEN, "part.data missing")
    ]
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000)
    assert [t.kind for t in read_all(OpenCode(tmp_path, {}))[1]] == [ReadProblemKind.UNREADABLE]


@pytest.mark.requirement("X7")
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(min_value=0, max_value=1 << 32))
def test_damaged_rows_never_crash_lose_a_good_one_or_make_one_up(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance, home, talk = random.Random(seed), tmp_path_factory.mktemp("damaged"), Talk()
    for number in range(6):
        talk.prompt(f"typed {number}")
        talk.prompt("not typed", synthetic=True)
        talk.shell("cat x", '{"type":"text","text":"not typed"}', number % 2)
    path = talk.save(home)
    broken = set()
    with closing(sqlite3.connect(path)) as database, database:
        for table in chance.sample(["part", "message", "part"], 2):
            (row,) = database.execute(f"SELECT rowid FROM {table} ORDER BY random() LIMIT 1").fetchone()
            row = chance.randrange(1, row + 1)
            (data,) = database.execute(f"SELECT data FROM {table} WHERE rowid = ?", (row,)).fetchone()
            cut = chance.randrange(len(data))
            harmed = chance.choice([data[:cut], data[:cut] + "\0" + data[cut + 1 :], "7", "[]", '{"type":7,"role":7}'])
            database.execute(f"UPDATE {table} SET data = ? WHERE rowid = ?", (harmed, row))
            key = "id" if table == "message" else "message_id"
            broken |= {m for (m,) in database.execute(f"SELECT {key} FROM {table} WHERE rowid = ?", (row,))}
    words = typed_texts(read_all(OpenCode(home, {}))[0])
    good = [data["text"] for of, data in talk.parts.values() if isinstance(data, dict) and of not in broken
            and data["type"] == "text" and not data.get("synthetic")]  # fmt: skip
    assert set(good) <= set(words)
    assert {word for word in words if word not in {f"typed {n}" for n in range(6)}} == set()
