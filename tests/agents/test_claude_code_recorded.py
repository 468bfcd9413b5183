"""The reader on transcripts of the real client: fixtures of `record_claude_code.py`, version 2.1."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from wisen.agents.claude_code import ClaudeCode
from wisen.agents.claude_code.read import ClaudeParser
from wisen.agents.log_follower import follow_records
from wisen.model.event import PROSE_EVENTS, Call, Event, Message, Outcome
from wisen.model.source import SourceMark
from wisen.testing.agent_contract import read_all, typed_texts
from wisen.testing.transcripts import REJECTED_TEXT, ClaudeTranscript

pytestmark = pytest.mark.requirement("F1")

FIXTURES = Path(__file__).parent / "fixtures" / "claude_code"
NAMES = ("cleared", "print", "program", "sub_agent", "terminal")


def read(name: str, *, program_prompts: bool = False) -> list[Event]:
    agent = ClaudeCode(Path("/nowhere"), {}, program_prompts=program_prompts)
    events, problems = read_all(agent, FIXTURES / f"{name}.jsonl")
    assert problems == []
    assert len({event.id for event in events}) == len(events)
    return events


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines()]


def describe(events: list[Event]) -> list[str]:
    """One line an event."""
    commands: dict[str | None, str] = {}
    lines = []
    for e in events:
        if isinstance(e, Message):
            lines.append(f"{e.provenance.value} {e.origin.value}: {e.text}")
        elif isinstance(e, Call):
            arguments = json.loads(e.arguments or "")
            commands[e.id] = arguments.get("command") or e.tool
            lines.append(f"{e.tool}: {commands[e.id]}")
        elif isinstance(e, Outcome):
            lines.append(f"{e.status.value}: {(e.text or commands[e.call]).splitlines()[-1]}")
        elif isinstance(e, PROSE_EVENTS):
            lines.append(type(e).__name__)
        else:
            lines.append(f"{type(e).__name__}: {commands.get(e.call, e.call)}")
    return lines


def test_a_run_without_a_terminal_the_correction_it_was_resumed_with_and_a_helper() -> None:
    assert describe(read("print")) == [
        "other prompt: install the package",
        "Bash: cat requirements.txt",
        "failed: cat: requirements.txt: No such file or directory",
        "Bash: ls",
        "Bash: python3 -c 'import no_such_module' 2>&1 | tail -1",
        "ok: ls",
        "masked: ModuleNotFoundError: No module named 'no_such_module'",
        "Bash: touch installed.txt",
        "cancelled: touch installed.txt",  # nobody was there to allow it
        "other prompt: no, use uv, not pip",
        "Concession",
        "other prompt: ask a helper",
        "Agent: Agent",
        "ok: Agent",
    ]


@pytest.mark.requirement("X7")
def test_a_programs_prompts_count_only_when_that_is_asked_for() -> None:
    assert typed_texts(read("print")) == typed_texts(read("program")) == []
    asked = ["install the package", "no, use uv, not pip", "ask a helper"]
    assert typed_texts(read("print", program_prompts=True)) == asked
    sent = ["work for a program", "hurry up", "and rest"]
    assert typed_texts(read("program", program_prompts=True)) == sent


@pytest.mark.requirement("X7")
def test_what_a_program_sends_while_the_agent_works_is_not_typed_though_it_waits_in_the_same_queue() -> None:
    assert describe(read("program")) == [
        "other prompt: work for a program",
        "Bash: sleep 5",
        "ok: sleep 5",
        "other queued: hurry up",
        "other prompt: and rest",
    ]


def test_a_session_in_the_terminal() -> None:
    assert describe(read("terminal")) == [
        "typed prompt: greet me",
        "Bash: cat card.txt",
        "failed: cat: card.txt: No such file or directory",
        "Bash: cat card.txt",  # asked for by a command of the user's, whose words are a file's
        "failed: cat: card.txt: No such file or directory",
        "typed prompt: file the report",
        "Bash: touch report.txt",
        "Rejection: touch report.txt",
        "typed rejection: no, never file it",
        "Concession",
        "typed prompt: file the report again",
        "Bash: touch report.txt",
        "ok: touch report.txt",
        "typed queued: but only this once",
        "Concession",
        "typed prompt: order a pear",
        "mcp__stock__find: mcp__stock__find",
        "Rejection: mcp__stock__find",
        "typed rejection: not without asking",
        "typed prompt: file the report at last",
        "Bash: touch report.txt",
        "Rejection: touch report.txt",
        "Interrupt: touch report.txt",
        "typed prompt: wait for me",
        "Bash: python3 -c 'import time; time.sleep(60)'",
        "Interrupt: python3 -c 'import time; time.sleep(60)'",
        "typed prompt: never mind",
        "typed prompt: think about it",
        "Bash: cat card.txt",
        "failed: cat: card.txt: No such file or directory",
        "Interrupt: None",
        "typed prompt: work slowly",
        "Bash: sleep 7",
        "ok: sleep 7",
        "typed queued: also bump the version",
        "typed queued: and rest",
        "typed prompt: work slowly again",
        "Bash: sleep 7",
        "typed queued: on second thoughts",
        "ok: sleep 7",
    ]


@pytest.mark.requirement("C1")
def test_commands_notes_and_injected_context_are_in_the_log_and_in_no_event() -> None:
    for name, words in {
        "terminal": ("The pears are ripe.", "Always be kind to pears.", "greet and tidy", "echo queued", "/compact"),
        "print": ("The pears are ripe.", "Always be kind to pears.", "<task-notification>"),
    }.items():
        events = repr([event for event in read(name, program_prompts=True) if isinstance(event, Message)])
        for word in words:
            assert word in (FIXTURES / f"{name}.jsonl").read_text()
            assert word not in events


def test_after_clear_the_conversation_goes_on_in_another_file_and_session() -> None:
    (message,) = read("cleared")
    assert isinstance(message, Message)
    assert describe([message]) == ["typed prompt: start afresh"]
    assert message.session.native not in {event.session.native for event in read("terminal")}


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("program_prompts", [False, True])
def test_a_sub_agents_transcript_is_found_below_its_session_and_kept_apart(
    program_prompts: bool, tmp_path: Path
) -> None:
    first = records("sub_agent")[0]
    session, agent_id = first["sessionId"], first["agentId"]
    project = tmp_path / ".claude" / "projects" / "-home-ada-shop"
    nested = project / session / "subagents" / f"agent-{agent_id}.jsonl"
    nested.parent.mkdir(parents=True)
    shutil.copy(FIXTURES / "sub_agent.jsonl", nested)
    shutil.copy(FIXTURES / "print.jsonl", project / f"{session}.jsonl")
    agent = ClaudeCode(tmp_path, {}, program_prompts=program_prompts)
    assert sorted(source.path for source in agent.sources()) == sorted([nested, project / f"{session}.jsonl"])
    events, _ = read_all(agent)
    assert {event.session.native for event in events} == {session, f"{session}/{agent_id}"}
    assert describe([event for event in events if "/" in event.session.native]) == [
        "Bash: ls nowhere",
        "failed: ls: cannot access 'nowhere': No such file or directory",
    ]


def test_the_marks_of_each_kind_of_prompt_are_as_the_reader_takes_them_to_be() -> None:
    marks = {
        record["message"]["content"].split("\n")[0]: (
            record.get("promptSource"),
            record.get("origin", {}).get("kind"),
            record.get("turnOrigin"),
            record.get("entrypoint"),
        )
        for name in NAMES
        for record in records(name)
        if record["type"] == "user" and isinstance(record["message"]["content"], str)
    }
    assert marks["greet me"] == ("typed", "human", "human", "cli")
    assert marks["install the package"] == ("sdk", None, "sdk", "sdk-cli")
    assert marks["<task-notification>"] == ("system", "task-notification", "task_notification", "sdk-cli")
    assert marks["<command-message>tidy</command-message>"] == (None, "human", "human", "cli")
    assert marks["<bash-input>echo queued</bash-input>"] == (None, None, None, "cli")
    assert marks["explore everything"] == (None, None, None, "sdk-cli")


@pytest.mark.requirement("X7")
@pytest.mark.parametrize(
    ("fields", "provenance"),
    [
        ({"promptSource": "typed", "origin": {"kind": "human"}}, "typed"),
        ({"promptSource": "queued", "origin": {"kind": "human"}}, "typed"),
        ({"promptSource": "typed", "origin": {"kind": "peer"}}, "other"),
        ({"promptSource": "system", "origin": {"kind": "task-notification"}}, "other"),
        ({"promptSource": "suggestion_accepted", "origin": {"kind": "human"}}, "other"),
        ({"promptSource": "of a later version"}, "other"),
    ],
)
def test_only_a_prompt_that_is_marked_as_typed_by_a_person_is(
    fields: dict[str, object], provenance: str, tmp_path: Path
) -> None:
    s = ClaudeTranscript()
    s.prompt("look", **fields)
    (message,), _ = read_all(ClaudeCode(Path("/nowhere"), {}), s.write(tmp_path))
    assert message.provenance == provenance


def test_what_leaves_the_queue_is_known_by_its_words_not_by_its_turn(tmp_path: Path) -> None:
    s = ClaudeTranscript()
    s.queue("enqueue", "first")
    s.queue("enqueue", "second")
    s.queue("remove", "<task-notification>done</task-notification>")
    s.queue("remove", "second")
    s.prompt("first", promptSource="queued")
    events, _ = read_all(ClaudeCode(Path("/nowhere"), {}), s.write(tmp_path))
    assert describe(events) == ["typed queued: second", "typed queued: first"]


def test_a_refusal_without_a_reason_is_kept_when_no_interrupt_follows(tmp_path: Path) -> None:
    s = ClaudeTranscript()
    s.fail(s.call("Bash", command="one"), f"{REJECTED_TEXT} STOP what you are doing and wait for the user")
    s.call("Bash", command="two")
    events, _ = read_all(ClaudeCode(Path("/nowhere"), {}), s.write(tmp_path))
    assert describe(events) == ["Bash: one", "Rejection: one", "Bash: two"]


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_transcript_may_be_read_in_any_two_parts(name: str, tmp_path: Path) -> None:
    lines = (FIXTURES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    whole = {event.id: event for event in read(name)}
    path = tmp_path / "parts.jsonl"
    agent = ClaudeCode(Path("/nowhere"), {})
    for cut in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:cut]))
        (source,) = agent.sources(path)
        first = list(agent.read(source))[-1]
        path.write_bytes(b"".join(lines))
        rest = agent.read(source, SourceMark(size=1, modified_ns=1, cursor=first.cursor))
        assert {e.id: e for e in [*first.events, *(e for batch in rest for e in batch.events)]} == whole, cut


class DecodesAll(ClaudeParser):
    """Never trusts bytes."""

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        return False


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("name", NAMES)
def test_recorded_lines_mean_the_same_with_and_without_the_shortcut(name: str) -> None:
    path = FIXTURES / f"{name}.jsonl"
    quick, slow = (
        [e for b in follow_records(path, None, form) for e in b.events] for form in (ClaudeParser, DecodesAll)
    )
    assert quick == slow


def test_fixtures_hold_no_prompt_of_the_vendor_and_no_place_of_the_machine() -> None:
    assert sum((FIXTURES / f"{name}.jsonl").stat().st_size for name in NAMES) < 60_000
    for name in NAMES:
        for record in records(name):
            line = json.dumps(record)
            assert not {"rendered", "shape", "params", "systemPrompt"} & record.keys()
            assert "/tmp" not in line
            assert len(line) < 1_500
            assert record.get("version", "2.1.325") == "2.1.325"
