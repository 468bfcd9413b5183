"""Concurrent writers to a home wait for each other, and nothing is recorded twice."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

from tests.commands import WISEN, run
from wisen import app
from wisen.errors import StoreBusy
from wisen.model.entry import ProposalType
from wisen.system.writer_lock import WriterLock
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.requirement("S19")

TABLES = ("entries", "occurrences", "proposals", "moves", "contexts", "aliases")
SESSIONS = 40
_HOLDER = (
    "import sys; from pathlib import Path; from wisen.system.writer_lock import WriterLock\n"
    "with WriterLock(Path(sys.argv[1])).hold(sys.argv[2]):\n print(flush=True); sys.stdin.read()"
)


@pytest.fixture
def logs(home: Path) -> Path:
    """Write sessions in which the user says something different each time, and one call fails the same way in all."""
    folder = home / ".claude" / "projects"
    for number in range(SESSIONS):
        start = datetime(2026, 3, 2, 9, tzinfo=UTC) + timedelta(hours=number)
        log = ClaudeTranscript(number + 1, cwd=f"/home/ada/p{number % 3}", start=start)
        log.prompt(f"add the report of module{number} to the page")
        log.bash("npm test", "npm: command not found", exit_code=127)
        log.bash("pnpm test", "ok")
        log.prompt(f"No, never use tabs{number} in module{number}, always use spaces{number} instead.")
        log.prompt(f"From now on always run check{number} before you commit.")
        log.write(folder / f"-home-ada-p{number % 3}")
    return folder


def row_counts(home: Path) -> dict[str, int]:
    """Return how many rows the ledger of a home has."""
    connection = sqlite3.connect(home / "ledger.db")
    try:
        return {table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in TABLES}
    finally:
        connection.close()


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that holds the lock of a home as a `learn` would."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, tmp_path, "learn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        yield other
        other.kill()


def test_learning_twice_at_once_comes_to_the_same_as_once(logs: Path, home: Path) -> None:
    once = home / "once"
    subprocess.run([WISEN, "learn"], env={**os.environ, "WISEN_HOME": str(once)}, check=True, capture_output=True)
    expected = row_counts(once)
    assert expected["entries"] > SESSIONS
    for number, pair in enumerate((("learn", "learn"), ("learn", "cycle"))):
        place = home / f"both{number}"
        both = [
            subprocess.Popen(
                [WISEN, each],
                env={**os.environ, "WISEN_HOME": str(place)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for each in pair
        ]
        errors = [each.communicate(timeout=100)[1].decode() for each in both]
        assert [each.returncode for each in both] == [0, 0], errors
        assert row_counts(place) == expected
        assert "".join(errors).count("another wisen is learning") == 1, errors
    assert logs.exists()


def test_threads_of_one_program_learn_one_after_the_other(logs: Path, home: Path) -> None:
    failed: list[BaseException] = []

    def learn() -> None:
        try:
            with app.open_learner() as learner:
                learner.learn(logs, jobs=1)
        except BaseException as error:  # noqa: BLE001 - shown below, in the thread that can fail the test
            failed.append(error)

    threads = [threading.Thread(target=learn) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failed
    after = row_counts(home / "wisen")
    with app.wire(home / "other").learner() as learner:
        learner.learn(logs, jobs=1)
    assert after == row_counts(home / "other")


def test_what_goes_round_the_lock_still_records_nothing_twice(logs: Path, home: Path) -> None:
    with app.open_learner() as learner:
        learner.learn(logs, jobs=1)
        ledger = learner.home.ledger
        before = row_counts(home / "wisen")
        # Another machine read the same logs at the same time, and gave everything its own id.
        entries = [structs.replace(each, id=f"Z{each.id}") for each in ledger.entries.all()]
        sights = [structs.replace(each, entry=f"Z{each.entry}") for each in ledger.occurrences.all()]
        asked = [structs.replace(each, id=f"Z{each.id}") for each in ledger.proposals.all()]
        of_entries = [
            structs.replace(each, entry=f"Z{each.entry}") if each.type is not ProposalType.GUARD else each
            for each in asked
        ]
        known = ledger.entries.record([*entries, *sights, *of_entries])
        assert known == {f"Z{each.id}": each.id for each in ledger.entries.all()}
        assert row_counts(home / "wisen") == before
        ledger.check()


def test_a_writer_that_waits_too_long_says_for_whom(tmp_path: Path, holder: subprocess.Popen[bytes]) -> None:
    with (
        pytest.raises(StoreBusy, match=f"process {holder.pid}, learn.*end that process"),
        WriterLock(tmp_path, timeout=0.2).hold("learn"),
    ):
        pytest.fail("the lock is held by another")


def test_a_cycle_leaves_it_to_another_cycle_and_waits_for_anything_else(
    tmp_path: Path, holder: subprocess.Popen[bytes]
) -> None:
    lock = WriterLock(tmp_path, timeout=0.2)
    with lock.hold_unless_same("learn") as held:
        assert not held
    with pytest.raises(StoreBusy), lock.hold_unless_same("cycle"):
        pytest.fail("a learn takes up nothing of what a cycle would")
    holder.kill()
    holder.wait()
    with lock.hold_unless_same("cycle") as held:
        assert held, "what a killed one held is free again"
        with lock.hold("learn"), lock.hold("forget"):
            assert lock.is_doing("cycle"), "a thread does not wait for itself"


def test_a_thread_waits_for_another_thread(tmp_path: Path) -> None:
    lock, entered = WriterLock(tmp_path, timeout=0.2), threading.Event()
    outcome: list[str] = []

    def second() -> None:
        try:
            with lock.hold("learn"):
                outcome.append("held")
        except StoreBusy:
            outcome.append("busy")
        entered.set()

    with lock.hold("learn"):
        threading.Thread(target=second).start()
        assert entered.wait(10)
    assert outcome == ["busy"]


def test_a_file_system_without_locks_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with WriterLock(tmp_path).hold("learn"):
        assert (tmp_path / "cycle.lock").exists()


def test_the_lock_of_an_older_version_is_that_of_a_cycle(tmp_path: Path) -> None:
    (tmp_path / "cycle.lock").write_text("4711\n")
    assert WriterLock(tmp_path).is_doing("cycle")
    assert WriterLock(tmp_path).holder() == "process 4711"


def test_a_command_that_only_looks_waits_for_nobody(home: Path, tmp_path: Path) -> None:
    place = home / "wisen"
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, place, "learn"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        other.stdout.readline()
        assert json.loads(run("status", "--json").stdout)["home"] == str(place)
        other.kill()
