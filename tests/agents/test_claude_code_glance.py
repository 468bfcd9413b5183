"""Lines understood by their bytes alone give the same events as lines that are decoded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.agents.claude_code.glance import NOTHING, glance
from wisen.agents.claude_code.read import ClaudeFormat
from wisen.agents.follow import follow
from wisen.domain.events import Event
from wisen.domain.sources import Trouble
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("X7")


class DecodesAll(ClaudeFormat):
    """Never trusts bytes."""

    def glance(self, block: bytearray, start: int, end: int) -> bool:
        return False


def both(path: Path) -> tuple[tuple[list[Event], list[Trouble]], tuple[list[Event], list[Trouble]]]:
    def found(form: type[ClaudeFormat]) -> tuple[list[Event], list[Trouble]]:
        batches = list(follow(path, None, form))
        return [e for b in batches for e in b.events], [t for b in batches for t in b.troubles]

    return found(ClaudeFormat), found(DecodesAll)


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
    assert glance(line, 0, len(line)) == (call, json.loads(line)["timestamp"])


def test_the_newer_order_of_fields_is_understood_too() -> None:
    s = ClaudeTranscript()
    call = s.bash("ls", "a")
    record = json.loads(s.lines[-1])
    last = {name: record.pop(name) for name in ("userType", "cwd", "sessionId", "version", "gitBranch")}
    line = bytearray(json.dumps({**record, **last}, separators=(",", ":")).encode())
    assert glance(line, 0, len(line)) == (call, record["timestamp"])


def test_prose_and_progress_are_idle_and_whatever_can_teach_is_not() -> None:
    s = ClaudeTranscript()
    s.say("hello")
    s.raw({"parentUuid": None, "isSidechain": False, "type": "progress", "data": {"a": 1}})
    s.prompt("typed")
    s.call("Bash", command="ls")
    s.queue("enqueue", "typed too")
    assert [glance(bytearray(line), 0, len(line)) for line in s.lines] == [NOTHING, NOTHING, None, None, None]
