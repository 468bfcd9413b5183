"""`wisen learn` end to end: learning from sessions by command line and by API, on real stores."""

from __future__ import annotations

import os
import random
import string
from contextlib import closing
from pathlib import Path

import pytest

import wisen
from wisen.agents.log_files import file_source
from wisen.app import wire
from wisen.errors import StoreError, StoreReadOnly, UsageError
from wisen.model.report import Report
from wisen.model.source import ReadProblemKind
from wisen.settings import KNOWN_AGENTS
from wisen.store.events import SqliteEvents
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("S19")


@pytest.fixture
def projects(home: Path) -> Path:
    return home / ".claude" / "projects"


def learn(path: Path | None = None, *, days: float | None = None) -> Report:
    with wisen.open_learner() as learner:
        return learner.learn(path, days=days)


def a_session(number: int = 1, *, cwd: str = "/home/ada/shop") -> ClaudeTranscript:
    s = ClaudeTranscript(number, cwd=cwd)
    s.prompt("run the tests")
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.bash("pnpm test", "ok")
    return s


@pytest.mark.requirement("X4")
def test_the_first_run_finds_the_sessions_by_itself_and_tells_what_keeps_failing(projects: Path) -> None:
    for number in (1, 2, 3):
        a_session(number).write(projects / "-home-ada-shop")
    report = learn()
    assert report.found == dict.fromkeys(KNOWN_AGENTS, 0) | {"claude-code": 3}
    assert (report.counts.sessions, report.counts.contexts, report.counts.typed_turns) == (3, 1, 3)
    (kind,) = report.failures
    assert (kind.tool, kind.signature.description, kind.calls, kind.sessions) == (
        "Bash",
        "npm: npm error use pnpm",
        3,
        3,
    )
    (fix,) = report.fixes
    assert (fix.change.removed, fix.change.added, fix.sessions) == (("npm",), ("pnpm",), 3)


def test_learning_twice_changes_nothing_and_reads_nothing(projects: Path) -> None:
    a_session().write(projects / "p")
    first, second = learn(), learn()
    assert (first.new_events, second.new_events, second.read_bytes) == (5, 0, 0)
    assert first.counts == second.counts
    assert first.failures == second.failures


def test_a_session_that_grows_is_read_on_from_where_it_was(projects: Path) -> None:
    s = a_session()
    s.write(projects / "p")
    first = learn()
    s.prompt("thanks")
    s.write(projects / "p")
    second = learn()
    assert (second.new_events, second.counts.typed_turns) == (1, 2)
    assert second.read_bytes < first.read_bytes


def test_rechecking_reads_every_byte_and_finds_what_sizes_and_dates_hide(projects: Path) -> None:
    s = a_session()
    path = s.write(projects / "p")
    learn()
    with wisen.open_learner() as learner:
        again = learner.learn(recheck=True)
        once_more = learner.learn(recheck=True)
    assert (again.read_bytes, again.new_events) == (path.stat().st_size, 0)
    assert (once_more.read_bytes, once_more.new_events) == (path.stat().st_size, 0)
    before = path.stat()
    data = bytearray(path.read_bytes())
    end = data.index(b"run the tests")
    other = data.replace(b"run the tests", b"run no tests!").replace(b'00001"', b'00009"')
    assert len(other) == len(data) > end
    path.write_bytes(other)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert learn().read_bytes == 0
    with wisen.open_learner() as learner:
        found = learner.learn(recheck=True)
    assert found.counts.typed_turns == 2


def test_processes_side_by_side_find_the_same(projects: Path, home: Path) -> None:
    for number in range(1, 9):
        a_session(number, cwd=f"/home/ada/shop{number % 3}").write(projects / "p")
    alone = learn()
    with wisen.open_learner(home / "other") as learner:
        together = learner.learn(jobs=2)
        assert learner.status().contexts == 3
    assert (together.counts, together.failures, together.new_events) == (alone.counts, alone.failures, alone.new_events)


def test_a_lost_index_is_rebuilt_from_the_logs_to_the_same_counts(projects: Path, home: Path) -> None:
    for number in (1, 2):
        a_session(number).write(projects / "p")
    before = learn()
    for file in (home / "wisen").glob("index.db*"):
        file.unlink()
    after = learn()
    assert (before.counts, before.failures) == (after.counts, after.failures)


@pytest.mark.requirement("X10")
def test_a_garbled_index_is_set_aside_rebuilt_and_said_loudly(projects: Path, home: Path) -> None:
    a_session().write(projects / "p")
    before = learn()
    index = home / "wisen" / "index.db"
    index.write_bytes(b"garbage" * 1000)
    after = learn()
    assert after.counts == before.counts
    assert "damaged" in after.warnings[0]
    assert [path.read_bytes()[:7] for path in index.parent.glob("index.db.damaged-*")] == [b"garbage"]


def test_copies_of_events_in_a_forked_session_count_once(projects: Path) -> None:
    s = a_session()
    s.write(projects / "p")
    (projects / "p" / "fork.jsonl").write_bytes(s.data())
    report = learn()
    assert (report.counts.sources, report.counts.sessions, report.counts.typed_turns) == (2, 1, 1)


def test_a_path_narrows_the_report_to_the_sessions_below_it(projects: Path, tmp_path: Path) -> None:
    a_session(1).write(projects / "p")
    learn()
    elsewhere = a_session(2).write(tmp_path / "elsewhere")
    assert learn(elsewhere.parent).counts.sessions == 1
    assert learn(elsewhere).counts.sessions == 1
    assert learn().counts.sessions == 2


def test_a_copy_of_known_sessions_elsewhere_still_has_its_report(projects: Path, tmp_path: Path) -> None:
    a_session(1).write(projects / "p")
    learn()
    a_session(1).write(tmp_path / "copy")
    report = learn(tmp_path / "copy")
    assert (report.new_events, report.counts.typed_turns, len(report.failures)) == (0, 1, 1)


def test_days_narrows_the_report_by_time(projects: Path) -> None:
    a_session().write(projects / "p")
    assert learn(days=1).counts.typed_turns == 0
    assert learn(days=36500).counts.typed_turns == 1


def test_learning_never_writes_outside_the_home(projects: Path, home: Path) -> None:
    path = a_session().write(projects / "p")
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    learn()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert {child.name for child in home.iterdir()} == {".claude", "wisen"}
    assert (home / "wisen").stat().st_mode & 0o077 == 0


@pytest.mark.requirement("N7")
def test_a_secret_reaches_no_file_of_ours_and_is_counted(projects: Path, home: Path) -> None:
    secret = "ghp_" + "".join(random.Random(5).choices(string.ascii_letters + string.digits, k=36))
    s = ClaudeTranscript(cwd=f"/home/ada/{secret}")
    s.prompt(f"use {secret} to push")
    s.bash(f"curl -H 'Authorization: token {secret}' x", f"bad {secret}", exit_code=1)
    s.cwd = "/home/ada/shop"
    s.prompt("thanks")
    s.write(projects / f"-home-ada-{secret}")
    report = learn()
    assert report.counts.typed_turns == 2
    assert learn().new_events == 0
    assert sum(report.counts.withheld.values()) >= 3
    for file in (home / "wisen").rglob("*"):
        if file.is_file():
            assert secret.encode() not in file.read_bytes(), file.name


def test_the_output_of_successful_calls_is_in_no_file_of_ours(projects: Path, home: Path) -> None:
    s = ClaudeTranscript()
    s.bash("cat diary", "DEAR-DIARY")
    s.bash("cat diary; false", "DEAR-FAILURE", exit_code=1)
    s.write(projects / "p")
    learn()
    stored = b"".join(file.read_bytes() for file in (home / "wisen").rglob("*") if file.is_file())
    assert b"DEAR-DIARY" not in stored
    assert b"DEAR-FAILURE" in stored


def test_what_we_injected_ourselves_is_not_a_turn_of_the_user(projects: Path) -> None:
    from wisen.safety import sentinel

    s = ClaudeTranscript()
    s.prompt(sentinel.wrap("Use pnpm, not npm."))
    s.prompt("run it\n" + sentinel.wrap("Use pnpm, not npm."))
    s.write(projects / "p")
    assert learn().counts.typed_turns == 1


def test_what_could_not_be_read_is_reported_with_its_place(projects: Path) -> None:
    s = a_session()
    s.raw(b"{garbage")
    s.raw({"type": "hologram", "sessionId": s.session})
    path = s.write(projects / "p")
    report = learn()
    assert report.counts.typed_turns == 1
    problems = {(t.path, t.kind, t.detail, t.count) for t in report.troubles}
    assert problems == {
        (str(path), ReadProblemKind.GARBLED, "", 1),
        (str(path), ReadProblemKind.UNKNOWN, "hologram", 1),
    }
    assert {(t.kind, t.count) for t in learn().troubles} == {(ReadProblemKind.GARBLED, 1), (ReadProblemKind.UNKNOWN, 1)}


def test_a_folder_of_rubbish_is_reported_and_what_is_good_in_it_read(tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    a_session().write(folder)
    (folder / "random.jsonl").write_bytes(random.Random(3).randbytes(50_000))
    (folder / "deep.jsonl").write_bytes(b'{"type":"user","message":' + b"[" * 100_000 + b"\n")
    (folder / "empty.jsonl").touch()
    (folder / "loop").symlink_to(folder)
    (folder / "dangling.jsonl").symlink_to(tmp_path / "gone")
    os.mkfifo(folder / "pipe.jsonl")
    report = learn(folder)
    assert report.counts.typed_turns == 1
    assert {Path(problem.path).name for problem in report.troubles} == {"random.jsonl", "deep.jsonl"}


def test_a_reader_that_breaks_does_not_end_the_learning(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wisen.agents.codex import Codex

    a_session().write(projects / "p")

    def broken(self: object, source: object, mark: object = None) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(Codex, "sources", lambda self, under=None: iter([file_source("codex", projects)]))
    monkeypatch.setattr(Codex, "read", broken)
    report = learn()
    assert report.counts.typed_turns == 1
    assert [(t.kind, t.detail) for t in report.troubles] == [
        (ReadProblemKind.UNREADABLE, "reader broke: ZeroDivisionError")
    ]


def test_an_interrupted_run_loses_nothing(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 6):
        a_session(number).write(projects / "p")
    from wisen.logs import log_reader

    monkeypatch.setattr(log_reader, "TRANSACTION_BYTES", 1)  # a transaction after every file

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with wisen.open_learner() as learner, pytest.raises(KeyboardInterrupt):
        learner.learn(progress=stop)
    report = learn()
    assert report.counts.sessions == 5
    assert 0 < report.new_events < 25


def test_sessions_of_two_projects_are_two_contexts_and_the_home_directory_is_none(projects: Path, home: Path) -> None:
    a_session(1, cwd="/home/ada/shop").write(projects / "p")
    a_session(2, cwd="/home/ada/blog").write(projects / "p")
    a_session(3, cwd=str(home)).write(projects / "p")
    assert learn().counts.contexts == 2
    with wisen.open_learner() as learner:
        assert learner.status().contexts == 2


def test_a_wrong_wish_is_an_error_that_names_it(home: Path) -> None:
    with wisen.open_learner() as learner:
        with pytest.raises(UsageError, match="nowhere does not exist"):
            learner.learn(home / "nowhere")
        with pytest.raises(UsageError, match="--days 0"):
            learner.learn(days=0)


@pytest.mark.requirement("X10")
def test_a_run_that_fails_is_remembered_as_one(projects: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> int:
        raise StoreReadOnly("the disk is full")

    a_session().write(projects / "p")
    learn()
    with wisen.open_learner() as learner:
        monkeypatch.setattr(SqliteEvents, "store", broken)  # a damaged index would be rebuilt
        a_session(2).write(projects / "p")
        with pytest.raises(StoreError):
            learner.learn()
    with closing(wire().ledger()) as ledger:
        assert ledger.runs.newest(1)[0].error
