"""The reader on rollouts of the real client: fixtures of `record_codex.py`, version 0.166."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wisen.agents.codex import Codex
from wisen.model.event import PROSE_EVENTS, Call, Event, Message, Outcome
from wisen.model.source import SourceMark
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")

FIXTURES = Path(__file__).parent / "fixtures" / "codex"
NAMES = ("exec", "sub_agent", "terminal")


def read(name: str, *, program_prompts: bool = False) -> list[Event]:
    agent = Codex(Path("/nowhere"), {}, program_prompts=program_prompts)
    events, problems = read_all(agent, FIXTURES / f"{name}.jsonl")
    assert problems == []
    assert len({event.id for event in events}) == len(events)
    return events


def describe(events: list[Event]) -> list[str]:
    """One line an event."""
    tools = {e.id: e.tool for e in events if isinstance(e, Call)}
    lines = []
    for e in events:
        if isinstance(e, Message):
            lines.append(f"{e.provenance.value}: {e.text}")
        elif isinstance(e, Call):
            arguments = json.loads(e.arguments or "")
            lines.append(f"{e.tool}: {arguments.get('command') or arguments.get('files') or arguments}")
        elif isinstance(e, Outcome):
            words = [line.split(": Failed to read")[0] for line in (e.text or "").strip().splitlines()[:2]]
            lines.append(f"{tools[e.call]} {e.status.value}: {words}")
        elif isinstance(e, PROSE_EVENTS):
            lines.append(type(e).__name__)
        else:
            lines.append(f"{type(e).__name__}: {tools[e.call or '']}")
    return lines


def test_a_run_without_a_terminal_and_the_correction_it_was_resumed_with() -> None:
    assert describe(read("exec")) == [
        "other: install the package",
        "exec_command: cat requirements.txt",
        "exec_command failed: ['Exit code 1', 'cat: requirements.txt: No such file or directory']",
        "exec_command: ls",
        "exec_command: python3 -c 'import no_such_module' 2>&1 | tail -1",
        "exec_command ok: []",
        "exec_command masked: [\"ModuleNotFoundError: No module named 'no_such_module'\"]",
        "mcp__stock__find: {'sku': 'pear'}",
        "mcp__stock__find: {'sku': 'none'}",
        "mcp__stock__find ok: []",
        "mcp__stock__find failed: ['no such sku']",
        "other: no, use uv, not pip",
        "Concession",
    ]


@pytest.mark.requirement("X7")
def test_a_programs_prompts_count_only_when_that_is_asked_for() -> None:
    assert typed_texts(read("exec")) == []
    assert typed_texts(read("exec", program_prompts=True)) == ["install the package", "no, use uv, not pip"]


def test_a_session_in_the_terminal_with_scripts_patches_a_background_process_and_an_interrupt() -> None:
    assert describe(read("terminal")) == [
        "typed: greet",
        """exec: {'input': "const r = await tools.exec_command({cmd: 'cat card.txt'}); text(r.output);"}""",
        "exec_command: cat card.txt",
        "exec_command failed: ['Exit code 1', 'cat: card.txt: No such file or directory']",
        "exec ok: []",
        """exec: {'input': "throw new Error('the ink is spilt');"}""",
        "exec failed: ['Script error:', 'Error: the ink is spilt']",
        "apply_patch: ['greeting.txt']",
        "apply_patch ok: []",
        "apply_patch: ['missing.txt']",
        "apply_patch failed: ['apply_patch verification failed']",
        "exec_command: sleep 2; exit 3",
        "exec_command: sleep 3",
        "exec_command failed: ['Exit code 3']",
        "exec_command ok: []",
        "typed: wait for me",
        "exec_command: sleep 60",
        "Interrupt: exec_command",
        "typed: never mind",
    ]


@pytest.mark.requirement("X7")
@pytest.mark.parametrize("program_prompts", [False, True])
def test_a_sub_agents_prompt_is_nobodys_though_it_is_marked_as_a_users(program_prompts: bool) -> None:
    assert b'"content_item_kinds":["user.text"]' in (FIXTURES / "sub_agent.jsonl").read_bytes()
    events = read("sub_agent", program_prompts=program_prompts)
    assert describe(events) == [
        "exec_command: ls nowhere",
        "exec_command failed: ['Exit code 2', \"ls: cannot access 'nowhere': No such file or directory\"]",
    ]
    assert all(event.session.native.count("/") == 1 for event in events)


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_rollout_may_be_read_in_any_two_parts(name: str, tmp_path: Path) -> None:
    lines = (FIXTURES / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    whole = {event.id: event for event in read(name)}
    path = tmp_path / "rollout-parts.jsonl"
    agent = Codex(Path("/nowhere"), {})
    for cut in range(1, len(lines)):
        path.write_bytes(b"".join(lines[:cut]))
        (source,) = agent.sources(path)
        first = list(agent.read(source))[-1]
        path.write_bytes(b"".join(lines))
        rest = agent.read(source, SourceMark(size=1, modified_ns=1, cursor=first.cursor))
        assert {e.id: e for e in [*first.events, *(e for batch in rest for e in batch.events)]} == whole, cut


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_hold_no_prompt_of_the_vendor_and_no_place_of_the_machine(name: str) -> None:
    for line in (FIXTURES / f"{name}.jsonl").read_text().splitlines():
        payload = json.loads(line)["payload"]
        if payload.get("role") == "developer" and "content" in payload:
            assert {part["text"] for part in payload["content"]} == {""}
        assert not payload.get("base_instructions")
        assert not payload.get("tools")
        assert "/tmp" not in line
        assert len(line) < 2_000
