"""Corrupted bytes in a store are detected or harmless, never silently different content."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.store.store_writer import backups_of, ledger_of
from wisen.errors import StoreDamaged
from wisen.model.context import Alias, ContextKind, context_of
from wisen.model.event import Status
from wisen.model.report import Selection
from wisen.model.source import ReadProblem, ReadProblemKind
from wisen.store.ledger import Ledger
from wisen.store.sqlite_index import open_index
from wisen.system.clock import SystemClock
from wisen.testing.ledger_contract import a_run
from wisen.testing.log_writer import NOON, Log

TRIALS = 150

pytestmark = [pytest.mark.requirement("S19"), pytest.mark.requirement("X10")]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose ledger has some hundred rows and a backup."""
    home = tmp_path_factory.mktemp("filled")
    ledger = ledger_of(home)
    for number in range(60):
        context = context_of(ContextKind.REMOTE, f"git.example/owner/tool{number}")
        ledger.contexts.add(context, Alias(context=context.key, machine="desk", path=f"/src/{number}", since=NOON))
    for number in range(200):
        ledger.runs.add(a_run(f"{number:026}", NOON + timedelta(hours=number), error="x" * number))
    ledger.close()
    backups_of(home).create()
    return home


def content(ledger: Ledger) -> object:
    """Return everything that a ledger contains."""
    return ledger.contexts.all(), ledger.contexts.aliases("desk"), ledger.runs.newest(1_000_000)


def read(home: Path) -> object:
    """Open a ledger and read all of it."""
    ledger = ledger_of(home)
    try:
        return content(ledger)
    finally:
        ledger.close()


def add_run(home: Path, name: str) -> None:
    """Add a row to a ledger."""
    ledger = ledger_of(home)
    ledger.runs.add(a_run(name, NOON))
    ledger.close()


def corrupt(whole: bytes, chance: random.Random, most: int = 64) -> bytes:
    """The same bytes with some of them changed."""
    changed = bytearray(whole)
    for _ in range(chance.randint(1, most)):
        changed[chance.randrange(len(changed))] ^= chance.randint(1, 255)
    return bytes(changed)


def test_a_garbled_ledger_is_noticed_or_reads_exactly_as_it_was_written(filled: Path, tmp_path: Path) -> None:
    expected, whole = read(filled), (filled / "ledger.db").read_bytes()
    noticed = 0
    for trial in range(TRIALS):
        home = tmp_path / str(trial)
        shutil.copytree(filled, home)
        noticed += _try(home, corrupt(whole, random.Random(trial), most=64 if trial % 2 else 2), expected)
    assert noticed > TRIALS // 2


def test_a_flipped_bit_in_the_head_or_schema_is_noticed_or_harmless(filled: Path, tmp_path: Path) -> None:
    expected, whole = read(filled), (filled / "ledger.db").read_bytes()
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    for place in [*range(112), *range(2000, 4096, 41)]:
        changed = bytearray(whole)
        changed[place] ^= 1 << (place % 8)
        _try(home, bytes(changed), expected)


@pytest.mark.parametrize("left", [1, 15, 99, 100, 512, 4095, 4096, 4097, 50_000, -4096, -1])
def test_a_ledger_that_was_cut_off_is_noticed(filled: Path, tmp_path: Path, left: int) -> None:
    whole = (filled / "ledger.db").read_bytes()
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    assert _try(home, whole[:left], None)


def _try(home: Path, changed: bytes, expected: object) -> bool:
    for side in ("-wal", "-shm"):
        (home / f"ledger.db{side}").unlink(missing_ok=True)
    (home / "ledger.db").write_bytes(changed)
    says = ""
    try:
        ledger = ledger_of(home)
    except StoreDamaged as error:
        says = str(error)
    if says:
        assert str(home / "ledger.db") in says
        assert "wisen doctor --repair" in says
        assert (home / "ledger.db").read_bytes() == changed
        return True
    try:
        assert content(ledger) == expected
    except StoreDamaged:
        says = "by its seal"
    finally:
        ledger.close()
    return bool(says)


def test_a_garbled_ledger_comes_back_from_its_backup(filled: Path, tmp_path: Path) -> None:
    expected, whole = read(filled), (filled / "ledger.db").read_bytes()
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    ruined = whole[:200] + bytes(4000) + whole[4200:]
    (home / "ledger.db").write_bytes(ruined)
    with pytest.raises(StoreDamaged):
        ledger_of(home)
    backups = backups_of(home)
    with pytest.raises(StoreDamaged):
        backups.create()
    copy = backups.newest_valid()
    assert copy is not None
    aside = backups.restore(copy).aside
    assert aside is not None
    assert aside.read_bytes() == ruined
    assert read(home) == expected


def cut_while_it_is_written(home: Path) -> None:
    """Put a backup in the ledger's place, as it is after a cut in the middle of its next transaction."""
    backup = backups_of(home).newest_valid()
    assert backup is not None
    working = home / "working.db"
    shutil.copyfile(backup, working)
    with closing(sqlite3.connect(working, isolation_level=None)) as database:
        for statement in ("PRAGMA cache_size = 1", "BEGIN IMMEDIATE", "UPDATE runs SET error = 'half done' || error"):
            database.execute(statement)
        shutil.copyfile(working, home / "ledger.db")
        shutil.copyfile(home / "working.db-journal", home / "ledger.db-journal")
        database.execute("ROLLBACK")
    assert b"half done" in (home / "ledger.db").read_bytes()


def test_a_restored_ledger_that_was_cut_off_while_it_was_written_is_as_it_was_before(
    filled: Path, tmp_path: Path
) -> None:
    expected, home = read(filled), tmp_path / "home"
    shutil.copytree(filled, home)
    cut_while_it_is_written(home)
    assert read(home) == expected
    assert not (home / "ledger.db-journal").exists()


def test_what_was_left_of_a_damaged_ledgers_transaction_is_never_applied_to_its_backup(
    filled: Path, tmp_path: Path
) -> None:
    expected, home = read(filled), tmp_path / "home"
    shutil.copytree(filled, home)
    cut_while_it_is_written(home)
    (home / "ledger.db").write_bytes(b"garbled" * 1000)
    backups = backups_of(home)
    copy = backups.newest_valid()
    assert copy is not None
    aside = backups.restore(copy).aside
    assert aside is not None
    assert aside.with_name(f"{aside.name}-journal").exists()
    assert read(home) == expected


def test_a_garbled_backup_is_passed_over_and_never_restored(filled: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    backups = backups_of(home)
    good = backups.newest_valid()
    add_run(home, "01B")  # a ledger that did not change is not backed up again
    bad = backups.create()
    text = bad.read_bytes()
    bad.write_bytes(text.replace(b"x" * 100, b"y" + b"x" * 99, 1))
    assert backups.newest_valid() == good
    before = (home / "ledger.db").read_bytes()
    with pytest.raises(StoreDamaged):
        backups.restore(bad)
    assert (home / "ledger.db").read_bytes() == before


def test_only_the_newest_backups_are_kept(filled: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    made = []
    for number in range(5):
        add_run(home, f"01B{number}")
        made.append(backups_of(home).create())
    assert sorted((home / "backups").iterdir()) == made[-3:]


def test_a_ledger_that_did_not_change_is_not_backed_up_again(filled: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    (home / "backups" / "ledger-1.db.part").touch()
    before = backups_of(home).newest_valid()
    assert backups_of(home).create() == before
    assert [*(home / "backups").iterdir()] == [before]


def test_a_garbled_ledger_never_takes_the_place_of_a_good_backup(filled: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    add_run(home, "01B")
    expected, whole = read(home), (home / "ledger.db").read_bytes()
    assert len([backups_of(home).create(), *(home / "backups").iterdir()]) == 3
    add_run(home, "01C")
    newer, whole = read(home), (home / "ledger.db").read_bytes()
    noticed = 0
    for trial in range(TRIALS):
        again = tmp_path / str(trial)
        shutil.copytree(home, again)
        (again / "ledger.db").write_bytes(corrupt(whole, random.Random(trial), most=64 if trial % 2 else 2))
        try:
            backups_of(again).create()
        except StoreDamaged:
            noticed += 1
            assert len([*(again / "backups").iterdir()]) == 2
        copy = backups_of(again).newest_valid()
        assert copy is not None
        backups_of(again).restore(copy)
        assert read(again) in (expected, newer)
    assert noticed > TRIALS // 3


@pytest.mark.parametrize("table", ["runs", "contexts", "aliases"])
def test_a_value_that_was_not_written_by_us_is_noticed_wherever_it_is(filled: Path, tmp_path: Path, table: str) -> None:
    home = tmp_path / "home"
    shutil.copytree(filled, home)
    with sqlite3.connect(home / "ledger.db") as ledger:
        column = {"runs": "version", "contexts": "name", "aliases": "since"}[table]
        row = f"(SELECT rowid FROM {table} LIMIT 1 OFFSET 20)"
        ledger.execute(f"UPDATE {table} SET {column} = {column} || '1' WHERE rowid = {row}")
    ledger.close()
    before = [*(home / "backups").iterdir()]
    with pytest.raises(StoreDamaged, match=table):
        backups_of(home).create()
    assert [*(home / "backups").iterdir()] == before


def test_a_backup_before_that_is_damaged_or_gone_is_not_trusted(filled: Path, tmp_path: Path) -> None:
    for content in (b"", b"damaged" * 5000):
        home = tmp_path / str(len(content))
        shutil.copytree(filled, home)
        (before,) = (home / "backups").iterdir()
        before.write_bytes(content)
        copy = backups_of(home).create()
        assert copy != before
        assert backups_of(home).newest_valid() == copy


def test_a_corrupted_index_is_rebuilt_or_reported_as_damaged(tmp_path: Path) -> None:
    file = tmp_path / "whole" / "index.db"
    index, _ = open_index(file, clock=SystemClock())
    batches = []
    for number in range(40):
        log = Log(f"/logs/{number}.jsonl", f"s{number}")
        log.typed(f"m{number}")
        for call in range(6):
            log.call(f"c{number}/{call}", call)
            log.end(f"c{number}/{call}", Status.FAILED, call, "x" * number)
        batches.append(log.batch(ReadProblem(kind=ReadProblemKind.GARBLED, detail="", offset=number)))
    index.events.store(batches)
    index.close()
    whole = file.read_bytes()
    rebuilt, problems = 0, []
    for trial in range(TRIALS):
        home = tmp_path / str(trial)
        home.mkdir()
        ruined = corrupt(whole, random.Random(trial))
        (home / "index.db").write_bytes(ruined)
        index, warning = open_index(home / "index.db", clock=SystemClock())
        if warning is not None:
            rebuilt += 1
            (aside,) = [each for each in home.glob("index.db.damaged-*") if not each.name.endswith(("-wal", "-shm"))]
            assert aside.read_bytes() == ruined
            assert index.events.store(batches) == 40 * 13
        try:
            index.check()
            index.events.marks("claude-code")
            index.events.counts(Selection())
            list(index.findings.failures(Selection()))
            index.events.read_problems(Selection())
            index.events.store(batches)
        except StoreDamaged as error:
            problems.append((warning, str(home / "index.db") in str(error)))
        index.close()
    assert rebuilt > 5
    assert len(problems) > 5
    assert set(problems) == {(None, True)}
