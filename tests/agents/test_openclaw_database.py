"""OpenClaw's transcripts in a database: followed, rewritten, compressed, locked, damaged."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import zstandard
from msgspec.structs import replace

from tests.agents.openclaw_sessions import Database, Following, Transcript, mark_of, outcomes
from wisen.agents.agent_ports import Versioned
from wisen.agents.openclaw import OpenClaw
from wisen.model.event import Message, Status
from wisen.model.source import Batch, ReadProblemKind, Source, SourceMark
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.requirement("F1")

INSERT = "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES"


def one_pass(database: Database) -> list[Batch]:
    agent = OpenClaw(Path("/nowhere"), {})
    (source,) = agent.sources(database.path)
    return list(agent.read(source))


def test_rows_are_read_on_and_sessions_that_wait_for_a_result_too(tmp_path: Path) -> None:
    database, following = Database(tmp_path), Following(tmp_path)
    one, two = Transcript(1, version=4), Transcript(2, version=4)
    one.prompt("first")
    call = one.call("exec", command="make | tail")
    database.save(one, "agent:main:main")
    two.prompt("second")
    database.save(two, "agent:main:explicit:two")
    assert typed_texts(following.look()) == ["first", "second"]
    two.prompt("third")
    database.save(two, "agent:main:explicit:two")
    assert typed_texts(following.look()) == ["third"]
    one.end(call, "make: *** [all] Error 2")
    database.save(one, "agent:main:main")
    assert [end.status for end in outcomes(following.look())] == [Status.MASKED]
    assert following.look() == []


def test_a_session_that_was_rewritten_is_read_again(tmp_path: Path) -> None:
    database, following = Database(tmp_path), Following(tmp_path)
    other, story, new = Transcript(2, version=4), Transcript(1, version=4), Transcript(1, version=4)
    for text in ("one", "two", "three"):
        story.prompt(text)
    database.save(story)
    database.save(other, "agent:main:other")
    following.look()
    for text in ("un", "deux", "trois", "quatre", "cinq"):
        new.prompt(text)
    database.execute("DELETE FROM transcript_events WHERE session_id = ?", story.session)
    database.save(new)
    assert typed_texts(following.look()) == ["un", "deux", "trois", "quatre", "cinq"]


def test_another_database_in_the_same_place_is_noticed(tmp_path: Path) -> None:
    following = Following(tmp_path)
    for number in (1, 2):
        database = Database(tmp_path)
        story = Transcript(number, version=4)
        story.prompt(f"session {number}")
        database.save(story)
        assert typed_texts(following.look()) == [f"session {number}"]
        for file in database.path.parent.iterdir():
            file.unlink()


def test_the_row_says_which_session_it_belongs_to_not_the_header_it_holds(tmp_path: Path) -> None:
    original, fork = Transcript(1, version=4), Transcript(2, version=4)
    fork.records[:] = original.records
    original.prompt("in the first")
    fork.prompt("in the fork")
    database = Database(tmp_path)
    database.save(original)
    database.save(fork, "agent:main:fork")
    events, _ = read_all(OpenClaw(tmp_path, {}))
    assert [event.session.native for event in events] == [original.session, fork.session]


def test_more_sessions_than_are_remembered_still_go_on(tmp_path: Path) -> None:
    database, following = Database(tmp_path), Following(tmp_path)
    stories = [Transcript(number, version=4) for number in range(1, 260)]
    with closing(sqlite3.connect(database.path)) as opened, opened:
        for story in stories:
            story.prompt("begin")
            rows = [(story.session, n, line.decode(), 1) for n, line in enumerate(story.lines())]
            opened.executemany(f"{INSERT} (?, ?, ?, ?)", rows)
    assert len(following.look()) == 259
    (mark,) = following.marks.values()
    assert len(json.loads(mark.cursor)["sessions"]) == 200
    stories[0].prompt("go on")
    database.save(stories[0])
    assert typed_texts(following.look()) == ["begin", "go on"]


def test_a_call_that_never_ends_does_not_hold_the_reader_back(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.call("exec", command="lost")
    for number in range(2100):
        story.entry("custom", customType="x", data=number)
    database.save(story)
    following = Following(tmp_path)
    assert len(following.look()) == 1
    story.prompt("on")
    database.save(story)
    assert [type(event) for event in following.look()] == [Message]


def test_a_change_in_the_write_ahead_log_is_seen(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    agent = OpenClaw(tmp_path, {})
    story.prompt("one")
    database.save(story)
    with closing(sqlite3.connect(database.path)) as writer:
        writer.execute("PRAGMA wal_autocheckpoint=0")
        (before,) = agent.sources()
        os.utime(database.path, ns=(1, 1))
        main = database.path.stat()
        story.prompt("two")
        row = (story.session, 2, story.lines()[2].decode(), 1)
        writer.execute(
            "INSERT INTO transcript_events (session_id, seq, event_json, created_at) VALUES (?, ?, ?, ?)", row
        )
        writer.commit()
        (after,) = agent.sources()
        assert database.path.stat().st_mtime_ns == main.st_mtime_ns
        assert after.modified_ns > before.modified_ns
        assert typed_texts(read_all(agent)[0]) == ["one", "two"]


def test_long_events_are_unpacked_and_bombs_are_not(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.shell("make", "x" * 5000, 1)
    database.save(story)
    with closing(sqlite3.connect(database.path)) as opened:
        (packed,) = opened.execute("SELECT count(*) FROM transcript_events WHERE event_zstd IS NOT NULL").fetchone()
    assert packed == 1
    bomb = zstandard.ZstdCompressor().compress(b'{"type":"message","x":"' + b"x" * (64 << 20) + b'"}')
    cut = zstandard.ZstdCompressor().compress(story.lines()[-1])[:-40]
    for seq, blob in enumerate((bomb, b"not compressed", cut), start=10):
        database.execute("INSERT INTO transcript_events VALUES (?, ?, NULL, 1, ?, 9, '{}')", story.session, seq, blob)
    story.records += [b""] * (13 - len(story.records))
    story.prompt("after")
    database.execute(f"{INSERT} (?, 13, ?, 1)", story.session, story.lines()[-1].decode())
    events, problems = read_all(OpenClaw(tmp_path, {}))
    assert typed_texts(events) == ["after"]
    assert [len(end.text or "") for end in outcomes(events)] == [5000 + len("\n\n(Command exited with code 1)")]
    assert [(problem.kind, problem.offset) for problem in problems] == [
        (ReadProblemKind.OVERSIZED, 4),
        (ReadProblemKind.GARBLED, 5),
        (ReadProblemKind.GARBLED, 6),
    ]


def test_an_event_that_is_too_long_is_not_loaded(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.prompt("x" * (17 << 20))
    story.prompt("after")
    database.save(story)
    events, problems = read_all(OpenClaw(tmp_path, {}))
    assert typed_texts(events) == ["after"]
    assert [(problem.kind, problem.offset) for problem in problems] == [(ReadProblemKind.OVERSIZED, 2)]


def test_a_newer_version_is_read_and_reported_once(tmp_path: Path) -> None:
    database, story = Database(tmp_path, user_version=99), Transcript(version=4)
    story.prompt("one")
    database.save(story)
    agent = OpenClaw(tmp_path, {})
    (source,) = agent.sources()
    (batch,) = agent.read(source)
    assert typed_texts(list(batch.events)) == ["one"]
    assert [(t.kind, t.detail) for t in batch.problems] == [(ReadProblemKind.MISSHAPEN, "user_version 99")]
    (again,) = agent.read(source, mark_of(source, batch))
    assert (again.events, again.problems) == ((), ())


def test_a_database_without_transcripts_is_reported_unless_it_is_of_the_time_of_files(tmp_path: Path) -> None:
    counts = {}
    for version in (1, 3, 4, 23, 99):
        database = Database(tmp_path / str(version), user_version=version)
        database.execute("DROP TABLE transcript_events")
        (batch,) = one_pass(database)
        counts[version] = [(problem.kind, problem.detail) for problem in batch.problems]
        assert batch.events == ()
    missing = [(ReadProblemKind.MISSHAPEN, "transcript_events missing")]
    assert counts == {1: [], 3: [], 4: missing, 23: missing, 99: missing}


def test_a_table_of_another_shape_is_reported(tmp_path: Path) -> None:
    database = Database(tmp_path)
    database.execute("DROP TABLE transcript_events")
    database.execute("CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, body TEXT)")
    (batch,) = one_pass(database)
    assert [t.detail for t in batch.problems] == ["transcript_events.event_json missing"]


def test_the_first_databases_had_plain_events_and_other_tables(tmp_path: Path) -> None:
    database = Database(tmp_path, user_version=4)
    for table in ("transcript_events", "session_windows", "session_nodes"):
        database.execute(f"DROP TABLE {table}")
    database.execute(
        "CREATE TABLE transcript_events (session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER)"
    )
    database.execute("CREATE TABLE sessions (session_id TEXT, session_key TEXT)")
    for number, key in ((1, "agent:main:main"), (2, "agent:main:cron:x")):
        story = Transcript(number, version=4)
        story.prompt(key)
        database.execute("INSERT INTO sessions VALUES (?, ?)", story.session, key)
        for seq, line in enumerate(story.lines()):
            database.execute("INSERT INTO transcript_events VALUES (?, ?, ?, 1)", story.session, seq, line.decode())
    (batch,) = one_pass(database)
    assert typed_texts(list(batch.events)) == ["agent:main:main"]
    assert batch.problems == ()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Database]:
    """A database that somebody holds for himself."""
    database = Database(tmp_path)
    database.execute("PRAGMA journal_mode=DELETE")
    with closing(sqlite3.connect(database.path, isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        yield database


def test_a_locked_database_is_a_problem_and_its_cursor_stays(locked: Database) -> None:
    agent = OpenClaw(Path("/nowhere"), {})
    (source,) = agent.sources(locked.path)
    (batch,) = agent.read(source, SourceMark(size=1, modified_ns=1, cursor="as it was"))
    assert [(t.kind, t.detail) for t in batch.problems] == [(ReadProblemKind.UNREADABLE, "database is locked")]
    assert batch.cursor == "as it was"


def test_reading_a_database_at_rest_leaves_nothing_beside_it(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.prompt("hello")
    database.save(story)
    with closing(sqlite3.connect(database.path)) as last:
        last.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = sorted(database.path.parent.iterdir())
    (batch,) = one_pass(database)
    assert typed_texts(list(batch.events)) == ["hello"]
    assert sorted(database.path.parent.iterdir()) == before


def test_what_is_no_database_or_not_there_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "openclaw-agent.sqlite"
    agent = OpenClaw(tmp_path, {})
    for content in (None, b"not a database, but long enough to be looked at" * 40):
        if content is not None:
            path.write_bytes(content)
        (batch,) = agent.read(Source(agent="openclaw", file=str(path), size=1, modified_ns=1))
        assert [problem.kind for problem in batch.problems] == [ReadProblemKind.UNREADABLE]
    assert path.read_bytes() == content


def test_damaged_pages_are_reported_and_never_crash(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    for number in range(300):
        story.prompt(f"{number} " + "y" * 300)
    database.save(story)
    with closing(sqlite3.connect(database.path)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = database.path.read_bytes()
    for seed in range(30):
        chance = random.Random(seed)
        damaged = bytearray(whole)
        for _ in range(5):
            begin = chance.randrange(100, len(damaged) - 200)
            damaged[begin : begin + 100] = chance.randbytes(100)
        database.path.write_bytes(damaged)
        for batch in one_pass(database):
            assert all(str(text).split()[0].isascii() for text in typed_texts(list(batch.events)) if text)
    database.path.write_bytes(whole[: len(whole) // 2])
    assert any(t.kind is ReadProblemKind.UNREADABLE for batch in one_pass(database) for t in batch.problems)


def test_reading_changes_nothing_in_the_database(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.prompt("one")
    database.save(story)
    before = database.path.read_bytes()
    one_pass(database)
    assert database.path.read_bytes() == before
    with closing(sqlite3.connect(database.path, isolation_level=None)) as writer:
        batches = OpenClaw(tmp_path, {}).read(Source(agent="openclaw", file=str(database.path), size=1, modified_ns=1))
        next(batches)
        writer.execute("BEGIN EXCLUSIVE")  # nobody waits for a reader that was left half-way
        writer.execute("ROLLBACK")
        batches.close()  # type: ignore[attr-defined]  # it is a generator


def test_a_doubted_mark_makes_everything_be_read_again(tmp_path: Path) -> None:
    database, story = Database(tmp_path), Transcript(version=4)
    story.prompt("one")
    database.save(story)
    agent = OpenClaw(tmp_path, {})
    (source,) = agent.sources()
    (batch,) = agent.read(source)
    (again,) = agent.read(source, replace(mark_of(source, batch), is_suspect=True))
    assert again == batch


def test_a_database_names_the_version_that_wrote_it(tmp_path: Path) -> None:
    database = Database(tmp_path)
    agent = OpenClaw(tmp_path, {})
    (source,) = agent.sources()
    assert isinstance(agent, Versioned)
    assert agent.version(source) is None
    database.execute("CREATE TABLE schema_meta (meta_key TEXT, app_version TEXT)")
    assert agent.version(source) is None
    database.execute("INSERT INTO schema_meta VALUES ('primary', '2026.9.6')")
    assert agent.version(source) == "2026.9.6"
    assert agent.version(replace(source, file=str(tmp_path / "s.jsonl"))) is None
