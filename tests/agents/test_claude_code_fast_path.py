"""Lines parsed by their bytes alone give the same events as decoded lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.agents.claude_code.fast_path import IRRELEVANT, scan_line
from wisen.agents.claude_code.read import ClaudeParser
from wisen.agents.log_follower import follow_records
from wisen.model.event import Concession, Event
from wisen.model.source import ReadProblem
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X7")


class DecodesAll(ClaudeParser):
    """Never trusts bytes."""

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        return False


def both(path: Path) -> tuple[tuple[list[Event], list[ReadProblem]], tuple[list[Event], list[ReadProblem]]]:
    def found(form: type[ClaudeParser]) -> tuple[list[Event], list[ReadProblem]]:
        batches = list(follow_records(path, None, form))
        return [e for b in batches for e in b.events], [t for b in batches for t in b.problems]

    return found(ClaudeParser), found(DecodesAll)


PIECES = [*'abc"\\{}[],:\n\t é😀', '},{"', '","', '"uuid":"', '"is_error":true', '"role":"user"', "}]}", '}]},"uuid":"']
HOSTILE = st.lists(st.sampled_from(PIECES), max_size=20).map("".join)
JSONISH = st.recursive(
    st.none() | st.booleans() | HOSTILE,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(HOSTILE, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(
    contents=st.lists(
        st.tuples(HOSTILE, st.booleans() | st.none(), JSONISH, st.sampled_from(["plain", "text", "list", "two"])),
        min_size=1,
        max_size=6,
    ),
    place=HOSTILE,
)
def test_hostile_results_mean_the_same_with_and_without_the_shortcut(
    contents: list[tuple[str, bool | None, object, str]], place: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    s = ClaudeTranscript(cwd=place)
    for content, is_error, structured, kind in contents:
        call = s.call("Bash", command="x | tail" if kind == "two" else "x")
        block: dict[str, object] = {"tool_use_id": call, "type": "tool_result", "content": content}
        if kind == "list":
            block["content"] = [{"type": "text", "text": content}]
        if is_error is not None:
            block["is_error"] = is_error
        blocks = [block]
        if kind == "text":
            blocks.append({"type": "text", "text": content})
        if kind == "two":
            blocks.append({**block, "tool_use_id": call + "x"})
        s.cwd = place if kind == "plain" else f"{place}/{kind}"
        s.prompt(blocks, toolUseResult=structured)
        s.say(content)
        s.raw({"parentUuid": None, "isSidechain": False, "type": "progress", "data": {"x": structured}})
    path = tmp_path_factory.mktemp("glance") / "s.jsonl"
    path.write_bytes(s.data())
    quick, slow = both(path)
    assert quick == slow


def test_the_usual_success_is_understood_by_its_bytes() -> None:
    s = ClaudeTranscript()
    call = s.bash("ls", 'a "quoted" \\ b\nc')
    line = bytearray(s.lines[-1])
    assert scan_line(line, 0, len(line)) == (call, json.loads(line)["timestamp"])


def test_the_newer_order_of_fields_is_understood_too() -> None:
    s = ClaudeTranscript()
    call = s.bash("ls", "a")
    record = json.loads(s.lines[-1])
    last = {name: record.pop(name) for name in ("userType", "cwd", "sessionId", "version", "gitBranch")}
    line = bytearray(json.dumps({**record, **last}, separators=(",", ":")).encode())
    assert scan_line(line, 0, len(line)) == (call, record["timestamp"])


SAYINGS = [*"ab \n", "You\u2019re right", "you are", " right", "-", "Sorry", "good ", "catch", "\u0142", "\U0001f600"]
SAYINGS += ['"', "\\", "\\u0073orry", '"type":"text"', "x" * 60, "\n" * 70]
SAYING = st.lists(st.sampled_from(SAYINGS), max_size=8).map("".join)
BLOCKS = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, SAYING),
    st.builds(lambda text: {"type": "text", "citations": None, "text": text}, SAYING),
    st.builds(lambda text: {"text": text, "type": "text"}, SAYING),
    st.builds(lambda text: {"type": "thinking", "thinking": text, "signature": "c2ln"}, SAYING),
    st.builds(lambda text: {"type": "redacted_thinking", "data": text}, SAYING),
    st.builds(lambda text: {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": text}}, SAYING),
)


@settings(max_examples=300, deadline=None)
@given(records=st.lists(st.tuples(st.lists(BLOCKS, max_size=3), st.booleans()), min_size=1, max_size=6))
def test_what_the_assistant_says_means_the_same_with_and_without_the_shortcut(
    records: list[tuple[list[dict[str, object]], bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    s = ClaudeTranscript()
    for blocks, escaped in records:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": blocks}
        s.add_record({"type": "assistant", "message": message})
        if escaped:
            s.lines[-1] = json.dumps(json.loads(s.lines[-1]), separators=(",", ":")).encode()
    path = tmp_path_factory.mktemp("glance") / "s.jsonl"
    path.write_bytes(s.data())
    quick, slow = both(path)
    assert quick == slow


@pytest.mark.parametrize(
    ("blocks", "conceded"),
    [
        ([{"type": "text", "text": "You\u2019re right."}], True),
        ([{"type": "text", "text": "\u0142" * 130 + " got it"}], True),
        ([{"type": "text", "text": "\n" * 130 + "got it"}], True),
        ([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Sorry."}], True),
        ([{"type": "text", "citations": None, "text": "Sorry."}], True),
        ([{"type": "text", "text": "Done."}, {"type": "text", "text": "Sorry."}], False),
        ([{"type": "thinking", "thinking": "Sorry."}], False),
        ([{"type": "text", "text": "x" * 150 + " sorry"}], False),
    ],
)
def test_a_line_is_decoded_where_its_first_text_may_concede(
    blocks: list[dict[str, object]], conceded: bool, tmp_path: Path
) -> None:
    s = ClaudeTranscript()
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": blocks}
    identity = s.add_record({"type": "assistant", "message": message})
    path = tmp_path / "s.jsonl"
    path.write_bytes(s.data())
    (quick, _), slow = both(path)
    assert (quick, []) == slow
    assert [(type(e), e.id) for e in quick] == [(Concession, f"conceded:{identity}")] * conceded


def test_prose_and_progress_are_idle_and_whatever_can_teach_is_not() -> None:
    s = ClaudeTranscript()
    s.say("hello")
    s.add_assistant_block({"type": "thinking", "thinking": "You are right.", "signature": "c2ln"})
    s.say("Sorry, hello")
    s.raw({"parentUuid": None, "isSidechain": False, "type": "progress", "data": {"a": 1}})
    s.prompt("typed")
    s.call("Bash", command="ls")
    s.queue("enqueue", "typed too")
    assert [scan_line(bytearray(line), 0, len(line)) for line in s.lines] == [
        *(IRRELEVANT, IRRELEVANT, None),
        *(IRRELEVANT, None, None, None),
    ]
