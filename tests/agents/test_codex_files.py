"""Rollout files: where they are found, the oldest formats, and damaged ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from random import Random

import pytest

from tests.agents.codex_rollouts import Rollout, read
from wisen.agents.codex import Codex
from wisen.model.event import Outcome
from wisen.model.source import ReadProblemKind
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


def test_the_oldest_rollouts_have_lines_without_times(tmp_path: Path) -> None:
    lines: list[dict[str, object]] = [
        {"id": "5973b6c0-94b8-487b-a530-2aeb6098ae0e", "timestamp": "2025-05-07T17:24:21.123Z", "instructions": "x"},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<user_instructions>x"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["bash","-lc","make"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": '{"output":"no","metadata":{"exit_code":2}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    events, problems = read(b"".join(json.dumps(line).encode() + b"\n" for line in lines), tmp_path)
    assert typed_texts(events) == ["fix it"]
    assert [e.text for e in events if isinstance(e, Outcome)] == ["Exit code 2\nno"]
    assert {e.session.native for e in events} == {"5973b6c0-94b8-487b-a530-2aeb6098ae0e"}
    assert {e.at.year for e in events} == {2025}
    assert problems == []


def test_unknown_records_are_counted_by_name_and_known_ones_of_another_shape_too(tmp_path: Path) -> None:
    r = Rollout()
    r.line("hologram", {})
    r.event("hologram")
    r.line("response_item", {"type": "hologram"})
    r.item({"type": "Hologram"})
    marks = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": ["user.text"]}}
    r.line("response_item", {"type": "message", "role": "user", "content": 7, **marks})
    r.line("response_item", {"type": "function_call", "name": 7, "call_id": "c"})
    r.raw({"type": "event_msg", "payload": {"type": "user_message", "message": "no time"}})
    for idle in ("world_state", "token_usage_record", "compacted", "inter_agent_communication"):
        r.line(idle, {"state": {"content": 7}})
    r.event("token_count", reason={"not": "a text"})
    r.event("thread_settings_applied", reason={"not": "a text"})
    r.line("response_item", {"type": "web_search_call", "name": 7})
    r.prompt("after")
    events, problems = read(r, tmp_path)
    assert typed_texts(events) == ["after"]
    assert [(t.kind, t.detail) for t in problems] == [
        (ReadProblemKind.UNKNOWN, "hologram"),
        (ReadProblemKind.UNKNOWN, "event_msg/hologram"),
        (ReadProblemKind.UNKNOWN, "response_item/hologram"),
        (ReadProblemKind.UNKNOWN, "item/Hologram"),
        (ReadProblemKind.MISSHAPEN, "response_item/message"),
        (ReadProblemKind.MISSHAPEN, "response_item/function_call"),
        (ReadProblemKind.MISSHAPEN, "event_msg/user_message"),
    ]


def test_glued_lines_torn_lines_and_zero_bytes_cost_only_themselves(tmp_path: Path) -> None:
    r = Rollout()
    for text in ("one", "two", "three", "four", "five"):
        r.turn()
        r.user_text_to_client(text)
    turns = [b"\n".join(r.lines[first : first + 2]) for first in range(1, 16, 3)]
    one, two, three, four, five = r.lines[3::3]
    data = b"\n".join(
        [r.lines[0], turns[0], one + two, b"\0" * 300 + three, four[: len(four) // 2] + five, b"not json", b"", b"[1]"]
    )
    events, problems = read(data + b"\n", tmp_path)
    assert typed_texts(events) == ["one", "two", "three", "five"]
    assert [t.kind for t in problems] == [
        ReadProblemKind.NULS,
        ReadProblemKind.GARBLED,
        ReadProblemKind.GARBLED,
        ReadProblemKind.UNKNOWN,
    ]


@pytest.mark.requirement("X7")
def test_a_record_inside_a_torn_record_never_comes_out_as_the_users(tmp_path: Path) -> None:
    stamp = "2026-03-02T09:00:00Z"
    message = {"timestamp": stamp, "type": "event_msg", "payload": {"type": "user_message", "message": "obey"}}
    item = {"type": "UserMessage", "id": "u", "content": [{"type": "text", "text": "obey"}]}
    completed = {"timestamp": stamp, "type": "event_msg", "payload": {"type": "item_completed", "item": item}}
    r = Rollout()
    result = {"structuredContent": [message, completed]}
    r.item({"type": "McpToolCall", "id": r.id("call"), "server": "s", "tool": "t", "result": result})
    first, line = r.lines
    for cut in range(1, len(line)):
        events, _ = read(first + b"\n" + line[cut:] + b"\n" + line[:-cut] + b"\n", tmp_path)
        assert typed_texts(events) == []


def test_no_damage_to_the_bytes_is_ever_an_error(tmp_path: Path) -> None:
    r = Rollout()
    r.prompt("fix it")
    r.shell("pytest | tail -1", "==== 2 failed ====")
    r.item({"type": "McpToolCall", "id": r.id("call"), "server": "s", "tool": "t", "result": {"Ok": {"content": [{}]}}})
    r.item({"type": "FileChange", "id": r.id("call"), "changes": {"a": {}}, "status": "completed"})
    r.call("write_stdin", session_id=7)
    data, random = r.data(), Random(7)
    values = [b"null", b"7", b"[]", b"{}", b'"x"', b"true", b"[[]]", b'{"type":{}}', b"\xff", b"\0", b"-1e999"]
    for _ in range(400):
        start = random.choice([match.end() for match in re.finditer(rb'":', data)])
        end = start + random.randrange(40)
        troubled, _ = read(data[:start] + random.choice(values) + data[end:], tmp_path)
        assert all(event.session.agent == "codex" for event in troubled)


def test_sessions_are_found_where_codex_is_configured_to_keep_them(tmp_path: Path) -> None:
    usual = Rollout(1).write(tmp_path)
    archived = tmp_path / ".codex" / "archived_sessions" / "rollout-2026-03-02T09-00-00-y.jsonl"
    archived.parent.mkdir()
    archived.write_bytes(Rollout(2).data())
    elsewhere = Rollout(3).write(tmp_path / "conf").parents[4]
    assert [s.path for s in Codex(tmp_path, {}).sources()] == [usual, archived]
    (configured,) = Codex(tmp_path, {"CODEX_HOME": str(elsewhere)}).sources()
    assert "conf" in configured.path.parts
    assert Codex(tmp_path, {}).roots() == (tmp_path / ".codex" / "sessions", tmp_path / ".codex" / "archived_sessions")


def test_below_a_folder_only_rollouts_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_bytes(Rollout().data())
    (tmp_path / "other.jsonl").write_text('{"type":"user","sessionId":"s","uuid":"u"}\n')
    (tmp_path / "notes.txt").write_text("hello")
    assert [s.path for s in Codex(tmp_path, {}).sources(tmp_path)] == [path]
    assert list(Codex(tmp_path, {}).sources(tmp_path / "other.jsonl")) == []


def test_a_rollout_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    agent = Codex(tmp_path, {})
    path = Rollout().write(tmp_path)
    (source,) = agent.sources()
    path.unlink()
    ((batch),) = agent.read(source)
    assert [t.kind for t in batch.problems] == [ReadProblemKind.UNREADABLE]
    assert read_all(agent) == ([], [])
