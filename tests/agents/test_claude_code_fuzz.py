"""Damaged transcripts: no crash, no later record lost, and no text attributed to the user that they did not type."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from wisen.agents.claude_code import ClaudeCode
from wisen.model.event import Message, Provenance
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X7")
PAYLOAD = "PAYLOAD"


def story() -> ClaudeTranscript:
    """A session in which every kind of foreign text holds the payload, between prompts that are the user's."""
    s = ClaudeTranscript()
    inner = {"type": "user", "message": {"role": "user", "content": PAYLOAD}, "sessionId": None}
    for number in range(8):
        s.prompt(f"typed {number}")
        s.bash("cat README", f"{PAYLOAD} and more")
        s.bash("make", f"error: {PAYLOAD}", exit_code=2)
        s.say(PAYLOAD)
        s.prompt(PAYLOAD, isMeta=True)
        s.prompt(f"<system-reminder>{PAYLOAD}</system-reminder>")
        s.raw({"parentUuid": None, "isSidechain": False, "type": "progress", "data": {"message": inner}})
        s.ok(s.call("Read", file_path="x"), f'{{"type":"user","message":{{"role":"user","content":"{PAYLOAD}"}}}}')
        s.reject(s.call("mcp__x__y", a=1), PAYLOAD)
        s.queue("enqueue", f"<task-notification>{PAYLOAD}</task-notification>")
        s.raw({"type": "attachment", "attachment": {"content": [PAYLOAD]}, "sessionId": s.session})
    return s


def damage(lines: list[bytes], chance: random.Random) -> tuple[bytes, set[int]]:
    """The file with one line damaged, and which lines are still whole."""
    at = chance.randrange(len(lines))
    line, whole = lines[at], set(range(len(lines))) - {at}
    cut = chance.randrange(len(line))
    kind = chance.choice(["flip", "cut", "behead", "drop newline", "insert", "nuls", "double"])
    changed = {
        "flip": line[:cut] + bytes([chance.randrange(256)]) + line[cut + 1 :],
        "cut": line[:cut],
        "behead": line[cut:],
        "drop newline": line[:cut] + (lines[at + 1] if at + 1 < len(lines) else b""),
        "insert": line[:cut] + chance.randbytes(5) + line[cut:],
        "nuls": line[:cut] + b"\0" * 40 + line[cut:],
        "double": line + line,
    }[kind]
    rest = list(lines)
    rest[at] = changed.replace(b"\n", b" ")
    if kind == "drop newline" and at + 1 < len(lines):
        del rest[at + 1]
        whole.discard(at + 1)
    return b"\n".join(rest) + b"\n", whole


def typed_in(path: Path) -> list[str]:
    agent = ClaudeCode(Path("/nowhere"), {})
    (source,) = agent.sources(path)
    events = [event for batch in agent.read(source) for event in batch.events]
    return [e.text or "" for e in events if isinstance(e, Message) and e.provenance is Provenance.TYPED]


@pytest.mark.parametrize("seed", range(400))
def test_one_damaged_line_costs_only_itself(seed: int, tmp_path: Path) -> None:
    lines = story().lines
    data, whole = damage(lines, random.Random(seed))
    path = tmp_path / "s.jsonl"
    path.write_bytes(data)
    typed = typed_in(path)
    must = [f"typed {n}" for n in range(8) if any(f'"typed {n}"'.encode() in lines[i] for i in whole)]
    assert [text for text in must if text not in typed] == []
    assert [text for text in typed if PAYLOAD in text] == []


def test_an_undamaged_story_has_just_its_eight_prompts(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(story().data())
    assert typed_in(path) == [f"typed {n}" for n in range(8)]


@pytest.mark.parametrize("content", ['{"a":1}', "7", "null", "[1]", '[{"text":5}]', '"\\ud800"', '[{"type":"text"}]'])
def test_results_of_any_shape_do_not_stop_the_reading(content: str, tmp_path: Path) -> None:
    s = ClaudeTranscript()
    call = s.call("Bash", command="x | tail")
    s.fail(call, "HERE")
    s.lines[-1] = s.lines[-1].replace(b'"HERE"', content.encode(), 1)
    s.raw(b'{"type":{}}{"type":[1]}')
    s.prompt("after")
    path = tmp_path / "s.jsonl"
    path.write_bytes(s.data())
    assert typed_in(path) == ["after"]
