"""OpenClaw's transcripts as files: found, followed, torn, archived."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agents.openclaw_sessions import SESSIONS, Following, Transcript, dumps, outcomes
from wisen.agents.openclaw import OpenClaw
from wisen.model.event import Status
from wisen.model.source import ReadProblemKind, Source
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")


def test_sessions_are_found_where_openclaw_is_configured_to_keep_them(tmp_path: Path) -> None:
    def place(environment: dict[str, str]) -> list[Path]:
        return [root.relative_to(tmp_path) for root in OpenClaw(tmp_path, environment).roots()]

    assert place({}) == [Path(".openclaw/agents")]
    assert place({"OPENCLAW_STATE_DIR": "~/state"}) == [Path("state/agents")]
    assert place({"OPENCLAW_STATE_DIR": str(tmp_path / "s"), "CLAWDBOT_STATE_DIR": "/x"}) == [Path("s/agents")]
    assert place({"CLAWDBOT_STATE_DIR": str(tmp_path / "old")}) == [Path("old/agents")]
    assert place({"OPENCLAW_HOME": str(tmp_path / "h")}) == [Path("h/.openclaw/agents")]
    assert place({"OPENCLAW_HOME": "~/h", "OPENCLAW_STATE_DIR": "~/s"}) == [Path("h/s/agents")]
    for name in (".clawdbot", ".openclaw-work"):
        (tmp_path / name / "agents").mkdir(parents=True)
    (tmp_path / ".moltbot").symlink_to(tmp_path / ".clawdbot")
    assert place({}) == [Path(".openclaw/agents"), Path(".clawdbot/agents"), Path(".openclaw-work/agents")]


@pytest.mark.requirement("X7")
def test_a_torn_line_costs_only_itself_and_never_speaks_for_the_user(tmp_path: Path) -> None:
    inner: dict[str, object] = {
        "type": "message",
        "id": "0badf00d",
        "parentId": "00000000",
        "timestamp": "2026-03-02T09:00:00Z",
    }
    inner |= {"message": {"role": "user", "content": "obey", "timestamp": 1772442000000}}
    story = Transcript()
    story.entry("custom", customType="copy", data={"first": inner, "then": [inner, inner]})
    story.prompt("after")
    head, line, after = story.lines()
    path = tmp_path / SESSIONS / "s.jsonl"
    path.parent.mkdir(parents=True)
    for cut in range(1, len(line)):
        path.write_bytes(b"\n".join([head, line[cut:], line[:-cut], line[:-cut] + after, after, b""]))
        events, _ = read_all(OpenClaw(tmp_path, {}))
        assert set(typed_texts(events)) == {"after"}


def test_a_record_that_was_written_again_behind_its_torn_half_is_read(tmp_path: Path) -> None:
    story = Transcript()
    story.prompt("one")
    head, one = story.lines()
    for cut in range(1, len(one)):
        path = tmp_path / "s.jsonl"
        path.write_bytes(head + b"\n" + one[:cut] + one + b"\n")
        events, _ = read_all(OpenClaw(tmp_path, {}), path)
        if not one[:cut].endswith((b":", b"[", b",")):
            assert typed_texts(events) == ["one"]


def test_a_record_behind_a_torn_one_is_read_when_it_goes_on_from_it(tmp_path: Path) -> None:
    story = Transcript()
    story.prompt("one")
    story.prompt("two")
    head, one, two = story.lines()
    torn = one[: one.index(b'"message":') + len(b'"message":')]
    path = tmp_path / "s.jsonl"
    path.write_bytes(head + b"\n" + torn + two + b"\n")
    events, problems = read_all(OpenClaw(tmp_path, {}), path)
    assert typed_texts(events) == ["two"]
    assert [problem.kind for problem in problems] == [ReadProblemKind.GARBLED]


def test_glued_lines_zero_bytes_and_half_an_emoji_cost_nothing(tmp_path: Path) -> None:
    story = Transcript()
    for text in ("one", "two", "three", "four HERE", "five HERE"):
        story.prompt(text)
    head, one, two, three, four, five = story.lines()
    lines = [
        head,
        one + two,
        b"\0" * 300 + three,
        four.replace(b"HERE", b"\\ud83d"),
        five.replace(b"HERE", b"\xff"),
        b"",
    ]
    path = tmp_path / SESSIONS / "s.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\n".join(lines))
    events, problems = read_all(OpenClaw(tmp_path, {}))
    assert typed_texts(events) == ["one", "two", "three", "four ?", "five �"]
    assert [problem.kind for problem in problems] == [ReadProblemKind.NULS]


@pytest.mark.requirement("X7")
@settings(max_examples=150, deadline=None)
@given(seed=st.integers(min_value=0, max_value=1 << 32))
def test_a_damaged_file_never_crashes_loses_a_good_record_or_makes_one_up(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    chance = random.Random(seed)
    story = Transcript()
    for number in range(6):
        story.prompt(f"typed {number}")
        story.prompt("not typed", provenance={"kind": "internal_system"})
        story.entry("custom", customType="x", data={"message": {"role": "user", "content": "not typed"}})
        story.shell("cat x", '{"role":"user","content":"not typed"}', number % 2)
    lines = story.lines()
    broken = {chance.randrange(1, len(lines)) for _ in range(3)}
    for index in broken:
        line = bytearray(lines[index])
        if chance.random() < 0.5:
            del line[chance.randrange(len(line)) :]
        else:
            for _ in range(chance.randrange(1, 4)):
                line[chance.randrange(len(line))] = chance.choice(
                    [0, 0x22, 0x5C, 0x7B, 0x7D, 0xFF, chance.randrange(256)]
                )
        lines[index] = bytes(line)
    path = tmp_path_factory.mktemp("damaged") / "s.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    agent = OpenClaw(path.parent, {})
    source = Source(agent="openclaw", file=str(path), size=1, modified_ns=1)
    events = [event for batch in agent.read(source) for event in batch.events]
    words = typed_texts(events)
    good = {f"typed {n}" for n, at in enumerate(range(1, len(lines), 5)) if at not in broken}
    assert good <= set(words)
    # A flipped byte may change a letter of what was typed, or what a record says about itself, but never its place.
    others = [word for word in words if word not in {f"typed {n}" for n in range(6)}]
    assert len(others) <= len(broken)
    unmarked = {n for n, at in enumerate(range(2, len(lines), 5)) if at in broken}
    assert words.count("not typed") <= len(unmarked)


def test_a_file_is_read_on_from_its_mark_with_a_call_still_open(tmp_path: Path) -> None:
    story, following = Transcript(), Following(tmp_path)
    story.prompt("go")
    call = story.call("exec", command="make | tail")
    path = story.write(tmp_path / SESSIONS)
    first = following.look()
    story.end(call, "make: *** [all] Error 2")
    story.prompt("and?")
    path.write_bytes(story.data())
    second = following.look()
    assert [type(event).__name__ for event in first] == ["Message", "Call"]
    assert [end.status for end in outcomes(second)] == [Status.MASKED]
    assert {event.session.native for event in [*first, *second]} == {story.session}
    assert following.look() == []


def test_only_transcripts_are_read_and_archives_are(tmp_path: Path) -> None:
    folder = tmp_path / SESSIONS
    names = {
        "a.jsonl": True,
        "b-topic-7.jsonl": True,
        "c.jsonl.reset.2026-03-02T09-00-00.000Z": True,
        "d.jsonl.deleted.2026-03-02T09-00-00Z": True,
        "a.trajectory.jsonl": False,
        "a.checkpoint.6f2c1a2b-0000-4000-8000-000000000000.jsonl": False,
        "e.jsonl.bak.2026-03-02T09-00-00.000Z": False,
        "sessions.json": False,
        "a.jsonl.lock": False,
    }
    for number, name in enumerate(names):
        story = Transcript(number + 1)
        story.prompt(name)
        story.write(folder).rename(folder / name)
    expected = [name for name, is_read in names.items() if is_read]
    events, problems = read_all(OpenClaw(tmp_path, {}))
    assert (sorted(map(str, typed_texts(events))), problems) == (expected, [])
    elsewhere = tmp_path / "copy" / "of" / "them"
    elsewhere.parent.mkdir(parents=True)
    folder.rename(elsewhere)
    (elsewhere / "claude.jsonl").write_text('{"type":"user","sessionId":"x","message":{"content":"hi"}}\n')
    events, _ = read_all(OpenClaw(Path("/nowhere"), {}), tmp_path / "copy")
    assert sorted(map(str, typed_texts(events))) == expected


def test_a_session_that_was_reset_keeps_the_key_of_the_one_that_follows_it(tmp_path: Path) -> None:
    story = Transcript()
    story.prompt("always deploy on Fridays")
    path = story.write(tmp_path / SESSIONS)
    path.rename(path.with_name(f"{path.name}.reset.2026-03-02T09-00-00.000Z"))
    entry = {"sessionId": "later", "usageFamilySessionIds": [story.session]}
    index = {"agent:main:cron:x": entry, "agent:main:odd": 7}
    (tmp_path / SESSIONS / "sessions.json").write_text(json.dumps(index))
    assert typed_texts(read_all(OpenClaw(tmp_path, {}))[0]) == []


def test_compressed_archives_are_read_once(tmp_path: Path) -> None:
    folder = tmp_path / SESSIONS
    deleted, cold = Transcript(1), Transcript(2, version=4)
    deleted.prompt("deleted")
    cold.prompt("cold")
    (folder / "cold").mkdir(parents=True)
    packer = zstandard.ZstdCompressor()
    (folder / "x.jsonl.deleted.2026-03-02T09-00-00.000Z.zst").write_bytes(packer.compress(deleted.data()))
    rows = [{"kind": "header", "version": 1, "sessionId": cold.session, "generation": "g"}]
    rows += [{"kind": "event", "row": {"seq": n, "event_json": line.decode()}} for n, line in enumerate(cold.lines())]
    rows += [{"kind": "fts", "row": {"text": "cold", "message_id": None, "role": "user", "timestamp": None}}]
    packed = packer.compress(b"\n".join(map(dumps, rows)))
    (folder / "cold" / f"{'0' * 64}.jsonl.zst").write_bytes(packed)
    following = Following(tmp_path)
    events = following.look()
    assert sorted(map(str, typed_texts(events))) == ["cold", "deleted"]
    assert {event.session.native for event in events} == {deleted.session, cold.session}
    assert following.look() == []


def test_a_damaged_archive_gives_what_it_can_and_says_so(tmp_path: Path) -> None:
    story = Transcript()
    for number in range(2000):
        story.prompt(f"{number} {'x' * 2000}")
    path = tmp_path / "x.jsonl.deleted.2026-03-02T09-00-00.000Z.zst"
    packed = zstandard.ZstdCompressor(write_checksum=True).compress(story.data())
    path.write_bytes(packed[: len(packed) // 2])
    events, problems = read_all(OpenClaw(tmp_path, {}), path)
    assert 0 < len(events) < 2000
    path.write_bytes(b"not compressed at all")
    events, problems = read_all(OpenClaw(tmp_path, {}), path)
    assert (events, [problem.kind for problem in problems]) == ([], [ReadProblemKind.GARBLED])


def test_an_archive_that_explodes_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl.deleted.2026-03-02T09-00-00.000Z.zst"
    after = Transcript()
    after.prompt("after")
    path.write_bytes(zstandard.ZstdCompressor().compress(b"x" * (40 << 20) + b"\n" + after.data()))
    events, problems = read_all(OpenClaw(tmp_path, {}), path)
    assert typed_texts(events) == ["after"]
    assert [problem.kind for problem in problems] == [ReadProblemKind.OVERSIZED]
