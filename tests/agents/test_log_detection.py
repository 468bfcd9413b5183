"""Every log file is read by exactly one agent: the one that wrote it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.agents.codex_rollouts import OldRollout, Rollout
from wisen.agents.claude_code import ClaudeCode
from wisen.agents.codex import Codex
from wisen.agents.generic import Generic
from wisen.agents.log_detection import detect_agent
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F1")


def written(folder: Path, name: str, *records: object) -> Path:
    path = folder / name
    lines = [record if isinstance(record, bytes) else json.dumps(record).encode() for record in records]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("kind", "record"),
    [
        ("claude-code", {"type": "summary", "summary": "Fixing things", "leafUuid": "u"}),
        ("claude-code", {"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
        ("claude-code", {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"}),
        ("claude-code", {"parentUuid": None, "isSidechain": False, "type": "progress", "sessionId": "s"}),
        ("claude-code", {"parentUuid": None, "type": "user", "message": {"role": "user", "content": "x"}}),
        ("codex", {"timestamp": "t", "ordinal": 0, "type": "session_meta", "payload": {"id": "x"}}),
        ("codex", {"timestamp": "t", "type": "response_item", "payload": {"type": "message", "role": "user"}}),
        ("codex", {"id": "x", "timestamp": "t", "instructions": None}),
        ("openclaw", {"type": "session", "version": 3, "id": "s1", "timestamp": "t", "cwd": "/w"}),
        ("openclaw", {"type": "session", "version": 1, "id": "s1"}),
        ("generic", {"role": "user", "content": "hello"}),
        ("generic", {"role": "assistant", "tool_calls": []}),
        ("generic", {"messages": [{"role": "user", "content": "hello"}]}),
        (None, {"type": "session"}),
        (None, {"type": "user", "text": "of another agent"}),
        ("gemini-cli", {"sessionId": "s", "projectHash": "h", "kind": "main"}),
        (None, {"role": "wizard", "content": "x"}),
        (None, {"messages": ["not", "messages"]}),
        (None, {"type": {}, "payload": {}, "sessionId": "s"}),
        (None, {"role": [], "content": "x"}),
        (None, ["a", "b"]),
        (None, 7),
        (None, b"not json"),
        (None, b"\xff\xfe\x00"),
        (None, b"[" * 9999),
    ],
)
def test_the_first_record_tells_whose_it_is(kind: str | None, record: object, tmp_path: Path) -> None:
    assert detect_agent(written(tmp_path, "log.jsonl", record)) == kind


def test_what_comes_before_the_first_good_record_does_not_matter(tmp_path: Path) -> None:
    good = json.dumps({"type": "summary", "leafUuid": "u"}).encode()
    torn = written(tmp_path, "torn.jsonl", b"", b"  ", b'{"torn": ', b"\0\0\0" + good)
    marked = written(tmp_path, "marked.jsonl", b"\xef\xbb\xbf" + good)
    assert [detect_agent(torn), detect_agent(marked)] == ["claude-code", "claude-code"]


@pytest.mark.parametrize(
    ("kind", "record"),
    [
        ("codex", {"timestamp": "t", "type": "session_meta", "payload": {"text": "x" * 100_000}}),
        ("claude-code", {"parentUuid": None, "type": "user", "message": {"content": "x" * 100_000}}),
        ("gemini-cli", {"sessionId": "s", "projectHash": "h", "messages": ["x" * 100_000]}),
        ("generic", {"role": "user", "content": "x" * 100_000}),
        ("generic", {"id": "c", "messages": [{"role": "user", "content": "x" * 100_000}]}),
        (None, {"name": "x" * 100_000, "role": "user"}),
    ],
)
def test_a_first_record_longer_than_the_look_is_recognized_by_how_it_begins(
    kind: str | None, record: object, tmp_path: Path
) -> None:
    assert detect_agent(written(tmp_path, "log.jsonl", record)) == kind


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("length", [1, 100_000])
def test_a_document_of_messages_is_generic_however_it_is_set(indent: int | None, length: int, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "x" * length}]
    for number, content in enumerate([messages, {"model": "m", "messages": messages}, [{"messages": messages}]]):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(content, indent=indent))
        assert detect_agent(path) == "generic"


@pytest.mark.parametrize("content", ['{"name": "shop", "version": "1"}', "[]", "{}", "", "[1, 2]", '"role"'])
def test_other_documents_are_nobodys(content: str, tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text(content)
    assert detect_agent(path) is None


def test_a_rollout_whose_beginning_is_garbled_is_still_told_by_its_name(tmp_path: Path) -> None:
    assert detect_agent(written(tmp_path, "rollout-2026-03-02T09-00-00-x.jsonl", b"\0\0")) == "codex"


def test_a_database_is_openclaws_when_it_holds_transcripts(tmp_path: Path) -> None:
    for name in ("transcript_events", "messages"):
        with closing(sqlite3.connect(tmp_path / f"{name}.sqlite")) as database:
            database.execute(f"CREATE TABLE {name} (session_id TEXT)")
            database.commit()
    broken = written(tmp_path, "broken.sqlite", b"SQLite format 3\0" + b"\xff" * 100)
    found = [detect_agent(tmp_path / f"{name}.sqlite") for name in ("transcript_events", "messages")]
    assert [*found, detect_agent(broken)] == ["openclaw", None, None]


def test_what_is_no_file_is_nobodys(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    names = ("pipe.jsonl", "folder.jsonl", "missing.jsonl")
    assert [detect_agent(tmp_path / name) for name in names] == [None, None, None]


def test_the_look_is_small(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(b'{"timestamp":"t","type":"session_meta","payload":{"text":"')
        file.truncate(1 << 32)
    assert detect_agent(path) == "codex"


def test_each_file_below_a_folder_has_one_reader(tmp_path: Path) -> None:
    claude = ClaudeTranscript()
    claude.prompt("hello")
    claude.write(tmp_path)
    (tmp_path / "new.jsonl").write_bytes(Rollout().data())
    (tmp_path / "old.jsonl").write_bytes(OldRollout().data())
    written(tmp_path, "talk.jsonl", {"role": "user", "content": "hello"})
    written(tmp_path, "talk.json", [{"role": "user", "content": "hello"}])
    written(tmp_path, "claw.jsonl", {"type": "session", "version": 3, "id": "s", "cwd": "/w"})
    written(tmp_path, "garbage.jsonl", b"\0\1\2")
    written(tmp_path, "config.json", {"theme": "dark"})
    readers = {
        agent.name: {source.path.name for source in agent.sources(tmp_path)}
        for agent in (ClaudeCode(tmp_path, {}), Codex(tmp_path, {}), Generic())
    }
    assert readers == {
        "claude-code": {f"{claude.session}.jsonl", "garbage.jsonl"},
        "codex": {"new.jsonl", "old.jsonl"},
        "generic": {"talk.jsonl", "talk.json"},
    }


def test_claude_code_does_not_doubt_what_lies_in_its_own_place(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "projects" / "-home-ada"
    folder.mkdir(parents=True)
    path = written(folder, "session.jsonl", {"role": "user", "content": "hello"})
    assert [source.path for source in ClaudeCode(tmp_path, {}).sources()] == [path]
    assert list(ClaudeCode(tmp_path, {}).sources(path)) == []
