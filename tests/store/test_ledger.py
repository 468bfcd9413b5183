"""The ledger contract for every implementation, and what only one of them guarantees."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs
from msgspec.structs import replace

import wisen
from wisen.errors import MissingExtra, StoreBusy, StoreDamaged, StoreError, StoreNewer
from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.learning import RecordKind
from wisen.model.model_use import ModelsPolicy
from wisen.store import postgres_ledger, sqlite_ledger
from wisen.store.backups import LedgerBackups
from wisen.store.migrate import known_migrations
from wisen.system.clock import SystemClock
from wisen.system.folder_lock import lock_folder
from wisen.system.home_access import leftovers
from wisen.testing.changes_contract import ChangesContract
from wisen.testing.entries_contract import EntriesContract, a_proposal, an_entry, an_occurrence
from wisen.testing.exposures_contract import ExposuresContract
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.file_snapshots_contract import FileSnapshotsContract
from wisen.testing.guards_contract import GuardsContract
from wisen.testing.keys_contract import KeysContract
from wisen.testing.ledger_contract import LedgerContract, a_run
from wisen.testing.log_writer import NOON
from wisen.testing.model_uses_contract import ModelUsesContract, a_call
from wisen.testing.ownerships_contract import OwnershipsContract
from wisen.testing.phrases_contract import PhrasesContract
from wisen.testing.program_records_contract import ProgramRecordsContract, a_record
from wisen.testing.tombstones_contract import TombstonesContract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.store.ledger import Ledger

pytestmark = pytest.mark.requirement("S19")

KNOWN = known_migrations("ledger")[-1].version
"""The newest version of the ledger's schema."""


class Openings:
    """Opens a ledger again and again, and closes what it opened."""

    def __init__(self, opening: Callable[[], Ledger]) -> None:
        self._opening = opening
        self._open: list[Ledger] = []

    def __call__(self) -> Ledger:
        """Close the last one, open the next."""
        self.close()
        self._open.append(self._opening())
        return self._open[-1]

    def close(self) -> None:
        """Close what is open."""
        while self._open:
            self._open.pop().close()


def open_sqlite(folder: Path, busy: float = 10.0) -> Ledger:
    """The ledger of a home."""
    return sqlite_ledger.open_ledger(folder / "ledger.db", backups=folder / "backups", busy=busy)


class TestMemoryLedger(
    LedgerContract,
    ProgramRecordsContract,
    FileSnapshotsContract,
    ChangesContract,
    EntriesContract,
    KeysContract,
    ExposuresContract,
    GuardsContract,
    TombstonesContract,
    ModelUsesContract,
    PhrasesContract,
    OwnershipsContract,
):
    @pytest.fixture
    def ledger(self) -> Ledger:
        return MemoryLedger()

    @pytest.fixture
    def reopen(self, ledger: Ledger) -> Callable[[], Ledger]:
        return lambda: ledger


class TestSqliteLedger(
    LedgerContract,
    ProgramRecordsContract,
    FileSnapshotsContract,
    ChangesContract,
    EntriesContract,
    KeysContract,
    ExposuresContract,
    GuardsContract,
    TombstonesContract,
    ModelUsesContract,
    PhrasesContract,
    OwnershipsContract,
):
    @pytest.fixture
    def reopen(self, tmp_path: Path) -> Iterator[Openings]:
        openings = Openings(lambda: open_sqlite(tmp_path))
        yield openings
        openings.close()

    @pytest.fixture
    def ledger(self, reopen: Openings) -> Ledger:
        return reopen()


def record_the_same_at_once(openings: Callable[[], Ledger], many: int = 4, lessons: int = 8) -> Ledger:
    """Several machines record the same lessons at the same moment, each under ids of its own."""
    ready = threading.Barrier(many)

    def record(number: int) -> dict[str, str]:
        ledger = openings()
        try:
            found: dict[str, str] = {}
            for lesson in range(lessons):
                id_ = f"{number}{lesson:02}"
                sights = [an_occurrence(f"o{lesson}-{each}", id_, minutes=each) for each in range(2)]
                asks = structs.replace(a_proposal(f"P{id_}", id_), follows="")
                ready.wait()
                found |= ledger.entries.record([an_entry(id_), *sights[number % 2 :], asks])
            return found
        finally:
            ledger.close()

    with ThreadPoolExecutor(many) as pool:
        known = [*pool.map(record, range(many))]
    assert sum(map(len, known)) == (many - 1) * lessons
    ledger = openings()
    assert len(ledger.entries.all()) == lessons
    ids = {each.id for each in ledger.entries.all()}
    assert {each.entry for each in ledger.occurrences.all()} == ids
    assert sorted(each.entry for each in ledger.proposals.all()) == sorted(ids)
    ledger.check()
    return ledger


def test_several_processes_that_record_the_same_at_once_record_it_once(tmp_path: Path) -> None:
    record_the_same_at_once(lambda: open_sqlite(tmp_path)).close()


@pytest.mark.needs("postgres")
@pytest.mark.requirement("X9")
class TestPostgresLedger(
    LedgerContract,
    ProgramRecordsContract,
    FileSnapshotsContract,
    ChangesContract,
    EntriesContract,
    KeysContract,
    ExposuresContract,
    GuardsContract,
    TombstonesContract,
    ModelUsesContract,
    PhrasesContract,
    OwnershipsContract,
):
    @pytest.fixture
    def reopen(self, server: str, schema: str) -> Iterator[Openings]:
        openings = Openings(lambda: postgres_ledger.open_team_ledger(server, schema=schema))
        yield openings
        openings.close()

    @pytest.fixture
    def ledger(self, reopen: Openings) -> Ledger:
        return reopen()

    def test_a_row_that_was_changed_behind_our_back_is_noticed(self, ledger: Ledger, server: str, schema: str) -> None:
        import psycopg

        ledger.runs.add(a_run("01A"))
        with psycopg.connect(server) as other:
            other.execute(psycopg.sql.SQL("UPDATE {}.runs SET version = '9'").format(psycopg.sql.Identifier(schema)))
        with pytest.raises(StoreDamaged, match="table runs"):
            ledger.runs.newest(1)
        with pytest.raises(StoreDamaged, match=r"table runs .*server's own backup"):
            ledger.check()

    def test_a_newer_schema_is_refused(self, ledger: Ledger, reopen: Openings) -> None:
        assert ledger is not None
        _write_future(ledger)
        with pytest.raises(StoreNewer, match=rf"version {KNOWN + 1} .* knows only {KNOWN}"):
            reopen()

    def test_several_machines_that_record_the_same_at_once_record_it_once(self, server: str, schema: str) -> None:
        record_the_same_at_once(lambda: postgres_ledger.open_team_ledger(server, schema=schema)).close()

    def test_two_machines_that_begin_at_once_make_one_ledger(self, server: str, schema: str) -> None:
        with multiprocessing.get_context("spawn").Pool(4) as pool:
            assert pool.starmap(_record_for_a_team, [(server, schema, str(name)) for name in range(4)]) == [None] * 4
        ledger = postgres_ledger.open_team_ledger(server, schema=schema)
        assert len(ledger.runs.newest(10)) == 4
        ledger.close()

    def test_two_at_once_never_exceed_a_cap(self, server: str, schema: str) -> None:
        assert taken_by_two(lambda: postgres_ledger.open_team_ledger(server, schema=schema)) == [1] * ROUNDS

    def test_a_lock_held_by_another_is_waited_for_and_then_reported(
        self, server: str, schema: str, ledger: Ledger
    ) -> None:
        import psycopg

        assert ledger.runs.newest(1) == ()
        impatient = postgres_ledger.open_team_ledger(server, schema=schema, busy=0.05)
        with psycopg.connect(server) as other:
            other.execute(psycopg.sql.SQL("LOCK TABLE {}.runs").format(psycopg.sql.Identifier(schema)))
            with pytest.raises(StoreBusy, match="is busy"):
                impatient.runs.add(a_run("01A"))
        impatient.close()

    @pytest.mark.requirement("F2")
    def test_what_a_program_records_on_one_machine_is_found_on_another(self, server: str, tmp_path: Path) -> None:
        settings = {"WISEN_STORE_LEDGER": server, "HOME": str(tmp_path)}
        with wisen.open_learner(tmp_path / "desk", environment=settings) as learner:
            failure = learner.records.record_failure(tool="deploy", error="error: no region given", session="job-1")
            learner.records.record_resolution(failure, "name the region")
        with wisen.open_learner(tmp_path / "lap", environment=settings) as learner:
            failure = learner.records.record_failure(tool="deploy", error="error: no region given", session="job-1")
            learner.records.record_resolution(failure, "Name the region")
            (found,) = learner.records.find_learnings(tool="deploy", error="error: no region given")
            assert (found.sessions, found.problem and found.problem.trajectory) == (2, "01")
            assert learner.records.candidates() == ()

    @pytest.mark.parametrize(
        "address",
        [
            "postgresql://someone:hunter2secret@/nowhere?host=/no/such/folder",
            "postgresql://someone:hunter2secret@localhost:notaport/x",
            "host=/no/such/folder password='hunter2secret' user=someone nonsense",
            "hunter2secret",
        ],
    )
    def test_a_password_never_stands_in_an_error(self, address: str) -> None:
        with pytest.raises(StoreError) as caught:
            postgres_ledger.open_team_ledger(address)
        assert "hunter2secret" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def _record_for_a_team(server: str, schema: str, name: str) -> None:
    ledger = postgres_ledger.open_team_ledger(server, schema=schema)
    ledger.runs.add(a_run(name))
    ledger.close()


def _write_future(ledger: Ledger) -> None:
    """A store as a newer wisen leaves it: one migration more than we know."""
    from wisen.store.ledger import SqlLedger
    from wisen.store.migrate import MIGRATIONS
    from wisen.store.sealed_rows import add_row

    assert isinstance(ledger, SqlLedger)
    add_row(ledger.database, MIGRATIONS, {"version": KNOWN + 1, "name": "9999_future.sql"})


def test_without_psycopg_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "wisen.store.postgres", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'wisen\[postgres\]'"):
        postgres_ledger.open_team_ledger("postgresql://localhost/x")


def test_a_newer_file_is_refused_with_both_versions(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    _write_future(ledger)
    ledger.close()
    both = rf"ledger\.db has version {KNOWN + 1} .* knows only {KNOWN}.*pip install --upgrade wisen"
    with pytest.raises(StoreNewer, match=both):
        open_sqlite(tmp_path)


def test_a_file_held_by_another_process_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    open_sqlite(tmp_path).close()
    impatient = open_sqlite(tmp_path, busy=0.05)
    other = sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match=r"ledger\.db is in use"):
        impatient.runs.add(a_run("01A"))
    other.execute("ROLLBACK")
    other.close()
    impatient.runs.add(a_run("01A"))
    assert impatient.runs.newest(5) == (a_run("01A"),)
    impatient.close()


def test_a_sealed_row_that_was_changed_behind_our_back_is_noticed(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    context = context_of(ContextKind.REMOTE, "git.example/owner/tool")
    ledger.contexts.add(context, Alias(context=context.key, machine="desk", path="/src", since=NOON))
    ledger.close()
    other = sqlite3.connect(tmp_path / "ledger.db")
    other.execute("UPDATE aliases SET path = '/elsewhere'")
    other.commit()
    other.close()
    ledger = open_sqlite(tmp_path)
    assert ledger.contexts.all() == (context,)
    with pytest.raises(StoreDamaged, match=r"ledger\.db: a row of the table aliases .*doctor --repair"):
        ledger.contexts.aliases("desk")
    with pytest.raises(StoreDamaged, match="aliases"):
        ledger.check()
    ledger.close()


@pytest.mark.requirement("F2")
def test_a_record_that_was_changed_behind_our_back_is_noticed(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    ledger.program_records.add(a_record("01A"))
    ledger.close()
    other = sqlite3.connect(tmp_path / "ledger.db")
    other.execute("UPDATE records SET says = 'something else'")
    other.commit()
    other.close()
    ledger = open_sqlite(tmp_path)
    for look in (ledger.program_records.find, ledger.check):
        with pytest.raises(StoreDamaged, match=r"ledger\.db: a row of the table records .*doctor --repair"):
            look()
    ledger.close()


@pytest.mark.requirement("F2")
def test_a_resolution_of_a_failure_that_was_never_kept_is_refused(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    with pytest.raises(StoreError, match="rejected the statement"):
        ledger.program_records.add(replace(a_record("01B", RecordKind.RESOLUTION), failure="01A"))
    assert ledger.program_records.find() == ()
    ledger.close()


@pytest.mark.requirement("F2")
def test_a_ledger_of_the_first_version_gets_the_table_of_records_and_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wisen.store import migrate

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "known_migrations", lambda store: known_migrations(store)[:1])
        ledger = open_sqlite(tmp_path)
        ledger.runs.add(a_run("01A"))
        ledger.close()
    ledger = open_sqlite(tmp_path)
    ledger.program_records.add(a_record("01B"))
    ledger.check()
    assert (ledger.runs.newest(5), ledger.program_records.find()) == ((a_run("01A"),), (a_record("01B"),))
    ledger.close()


@pytest.mark.parametrize(
    "content",
    [b"this is no database, just a text of some length " * 20, b"\x00" * 4096, b"SQLite format 3\x00"],
    ids=["text", "zeros", "only a head"],
)
@pytest.mark.requirement("X10")
def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(content)
    with pytest.raises(StoreDamaged, match=r"ledger\.db is damaged: .*wisen doctor --repair"):
        open_sqlite(tmp_path)
    assert (tmp_path / "ledger.db").read_bytes() == content


def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "ledger.db")
    other.execute("CREATE TABLE runs (id TEXT)")
    other.close()
    before = (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(StoreDamaged, match="not wisen's ledger"):
        open_sqlite(tmp_path)
    assert (tmp_path / "ledger.db").read_bytes() == before


@pytest.mark.parametrize("size", [None, 0], ids=["missing", "empty"])
@pytest.mark.requirement("X10")
def test_a_ledger_that_was_backed_up_is_never_replaced_by_an_empty_one(tmp_path: Path, size: int | None) -> None:
    ledger = open_sqlite(tmp_path)
    ledger.runs.add(a_run("01A"))
    backups = LedgerBackups(tmp_path / "ledger.db", tmp_path / "backups", clock=FixedClock())
    backups.create()
    ledger.close()
    (tmp_path / "ledger.db").unlink()
    if size is not None:
        (tmp_path / "ledger.db").touch()
    with pytest.raises(StoreDamaged, match=r"missing or empty.*wisen doctor --repair"):
        open_sqlite(tmp_path)
    copy = backups.newest_valid()
    assert copy is not None
    backups.restore(copy)
    ledger = open_sqlite(tmp_path)
    assert ledger.runs.newest(5) == (a_run("01A"),)
    ledger.close()


def test_a_ledger_of_which_only_the_log_is_left_is_never_replaced_by_an_empty_one(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    ledger.runs.add(a_run("01A"))
    (tmp_path / "ledger.db").unlink()
    with pytest.raises(StoreDamaged, match=r"ledger\.db-wal next to it"):
        open_sqlite(tmp_path)
    ledger.close()


def test_an_empty_file_that_was_never_backed_up_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").touch()
    ledger = open_sqlite(tmp_path)
    ledger.check()
    ledger.close()


def test_a_process_that_was_killed_before_its_first_transaction_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    left = sqlite3.connect(tmp_path / "ledger.db")
    left.execute("PRAGMA journal_mode = WAL")
    left.close()
    assert (tmp_path / "ledger.db").stat().st_size > 0
    ledger = open_sqlite(tmp_path)
    ledger.check()
    ledger.close()


def test_processes_that_begin_at_once_make_one_ledger(tmp_path: Path) -> None:
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        for attempt in range(10):
            home = tmp_path / str(attempt)
            pool.starmap(_record, [(home, str(name)) for name in range(4)], chunksize=1)
            ledger = open_sqlite(home)
            assert len(ledger.runs.newest(10)) == 4
            ledger.close()


def test_two_at_once_never_exceed_a_cap(tmp_path: Path) -> None:
    assert taken_by_two(lambda: open_sqlite(tmp_path)) == [1] * ROUNDS


ROUNDS = 60


def taken_by_two(opening: Callable[[], Ledger]) -> list[int]:
    """Return how many calls of each day are allowed when two ask at the same time and one is permitted."""
    opening().close()
    together, once = threading.Barrier(2, timeout=60), ModelsPolicy(calls_per_day=1)

    def reserves(name: str) -> list[bool]:
        ledger = opening()
        taken = []
        for number in range(ROUNDS):
            day = (date(2026, 1, 1) + timedelta(days=number)).isoformat()
            together.wait()
            taken.append(ledger.model_uses.reserve(a_call(f"{name}-{number}", day=day), once) == "")
        ledger.close()
        return taken

    with ThreadPoolExecutor(2) as both:
        return [sum(each) for each in zip(*both.map(reserves, ("a", "b")), strict=True)]


def _record(home: Path, name: str) -> None:
    ledger = open_sqlite(home)
    ledger.runs.add(a_run(name))
    ledger.close()


def test_what_is_written_is_synchronous_and_what_is_deleted_is_overwritten(tmp_path: Path) -> None:
    from wisen.store.ledger import SqlLedger

    ledger = open_sqlite(tmp_path)
    assert isinstance(ledger, SqlLedger)
    settings = [ledger.database.run(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "synchronous", "foreign_keys")]
    assert settings == ["wal", 2, 1]
    ledger.runs.add(a_run("01A", error="a sentence to be forgotten"))
    ledger.runs.add(a_run("01B"))
    ledger.database.run("DELETE FROM runs WHERE id = '01A'")
    ledger.close()
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]
    assert b"to be forgotten" not in (tmp_path / "ledger.db").read_bytes()


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    ledger.runs.add(a_run("01A"))
    copy = LedgerBackups(tmp_path / "ledger.db", tmp_path / "backups", clock=FixedClock()).create()
    for file in (tmp_path / "ledger.db", tmp_path / "ledger.db-wal", copy):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    ledger.close()


class FixedClock:
    """A clock that goes on by a second each time."""

    def __init__(self) -> None:
        self._second = 0

    def now(self) -> datetime:
        """A second later than the last time."""
        self._second += 1
        return datetime(2026, 3, 1, 12, self._second // 60, self._second % 60, tzinfo=UTC)

    def elapsed(self) -> float:
        """The seconds so far."""
        return float(self._second)


@pytest.mark.requirement("X10")
def test_copies_that_several_processes_make_at_once_are_all_whole(tmp_path: Path) -> None:
    ledger = open_sqlite(tmp_path)
    for number in range(300):
        ledger.runs.add(a_run(f"01A{number}"))
    ledger.close()
    # One at once with the other, each many times: a process must not take the other's half copy for one left behind.
    with ThreadPoolExecutor(4) as pool:
        # `create` makes none while nothing changed, `renew` always does.
        removed = list(
            pool.map(
                lambda _: LedgerBackups(
                    tmp_path / "ledger.db", tmp_path / "backups", clock=SystemClock(), keep=100
                ).renew(lambda _: False),
                range(24),
            )
        )
    made = sorted((tmp_path / "backups").iterdir())
    assert (len(made), {*removed}) == (24, {()})


@pytest.mark.requirement("X10")
def test_a_copy_that_is_being_made_is_nothing_left_behind(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    (folder / "ledger-1.db.part").touch()
    later = datetime.now(UTC) + timedelta(hours=1)
    with lock_folder(folder, timeout=0):
        assert leftovers(tmp_path, later) == []
        with pytest.raises(StoreBusy, match="held by another process"), lock_folder(folder, timeout=0):
            pass
    assert leftovers(tmp_path, later) == [folder / "ledger-1.db.part"]
