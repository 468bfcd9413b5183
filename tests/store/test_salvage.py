"""What was recorded after the last backup comes back from a damaged ledger as far as it can be read, and is counted."""

from __future__ import annotations

import re
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.store_writer import backups_of, ledger_of
from wisen.health.ledger_repair import describe_restored
from wisen.model.context import Alias, ContextKind, context_of
from wisen.store.salvage import Restored
from wisen.testing.ledger_contract import a_run
from wisen.testing.log_writer import NOON

pytestmark = [pytest.mark.requirement("S19"), pytest.mark.requirement("X10")]

PAGE = 4096
OLD, NEW = [f"01A{number:03}" for number in range(20)], [f"01B{number:03}" for number in range(60)]
CONTEXT = context_of(ContextKind.REMOTE, "git.example/owner/tool")
LONG = "y" * 50_000
"""A text that fills several pages of its own."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home whose ledger was written to since its last backup; some of it is only in SQLite's log."""
    folder = tmp_path / "home"
    ledger = ledger_of(folder)
    for name in OLD:
        ledger.runs.add(a_run(name, error="x" * 300))
    ledger.close()
    backups_of(folder).create()
    ledger = ledger_of(folder)
    for name in NEW[:-1]:
        ledger.runs.add(a_run(name, error="x" * 300))
    ledger.close()
    ledger = ledger_of(folder)
    ledger.runs.add(a_run(NEW[-1], error=LONG))
    ledger.contexts.add(CONTEXT, Alias(context=CONTEXT.key, machine="desk", path="/src", since=NOON))
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    ledger.close()
    assert (copy / "ledger.db-wal").stat().st_size > 0
    return copy


def runs_of(home: Path) -> dict[str, str | None]:
    """Return the errors of all runs by their ids, after a check of the whole ledger."""
    with closing(ledger_of(home)) as ledger:
        ledger.check()
        return {run.id: run.error for run in ledger.runs.newest(1000)}


def restore(home: Path, *, dry_run: bool = False) -> Restored:
    """Restore the newest good backup."""
    copy = backups_of(home).newest_valid()
    assert copy is not None
    return backups_of(home).restore(copy, dry_run=dry_run)


def zero_page_with(home: Path, name: str) -> None:
    """Overwrite the page of rows that holds a name."""
    content = bytearray((home / "ledger.db").read_bytes())
    (start,) = [
        start
        for start in range(0, len(content), PAGE)
        if content[start] == 0x0D and f"{name}desk".encode() in content[start : start + PAGE]
    ]
    content[start : start + PAGE] = bytes(PAGE)
    (home / "ledger.db").write_bytes(content)


def test_rows_on_whole_pages_and_in_the_log_come_back_and_those_between_them_are_counted(home: Path) -> None:
    zero_page_with(home, NEW[30])
    restored, runs = restore(home), runs_of(home)
    lost = {*OLD, *NEW} - runs.keys()
    assert NEW[30] in lost
    assert len(lost) < 20
    assert runs[NEW[-1]] == LONG
    assert restored.recovered == {"runs": len(NEW) - len(lost), "contexts": 1, "aliases": 1}
    assert restored.missing == {"runs": len(lost)}
    with closing(ledger_of(home)) as ledger:
        assert [each.path for each in ledger.contexts.aliases("desk")] == ["/src"]


def test_pages_of_rows_are_read_where_all_above_them_is_damaged(home: Path) -> None:
    content = bytearray((home / "ledger.db").read_bytes())
    for start in range(0, len(content), PAGE):
        if content[start] != 0x0D:
            content[start : start + PAGE] = b"\xff" * PAGE
    (home / "ledger.db").write_bytes(content)
    assert restore(home).recovered["runs"] >= len(NEW) - 1
    assert {*OLD, *NEW[:-1]} <= runs_of(home).keys()


def test_a_row_with_a_wrong_seal_is_left_out_and_those_beside_it_come_back(home: Path) -> None:
    content = (home / "ledger.db").read_bytes()
    place = content.index(f"{NEW[10]}desk".encode()) + 40
    (home / "ledger.db").write_bytes(content[:place] + b"?" + content[place + 1 :])
    restored = restore(home)
    assert {*OLD, *NEW} - runs_of(home).keys() == {NEW[10]}
    assert restored.missing == {"runs": 1}


@pytest.mark.parametrize("number", [10, 40, len(NEW) - 2])
def test_a_row_whose_number_is_garbled_is_not_taken_for_a_sign_that_others_are_lost(home: Path, number: int) -> None:
    content = bytearray((home / "ledger.db").read_bytes())
    header = content.rindex((len(OLD) + number + 1).to_bytes(1, "big"), 0, content.index(f"{NEW[number]}desk".encode()))
    assert content[header - 2] & 0x80, "the row's size stands before its number, in two bytes"
    content[header] ^= 0x20
    (home / "ledger.db").write_bytes(content)
    restored = restore(home)
    assert {*OLD, *NEW} == runs_of(home).keys()
    assert not restored.missing


def test_what_was_never_committed_does_not_come_back(home: Path) -> None:
    log = (home / "ledger.db-wal").read_bytes()
    (home / "ledger.db-wal").write_bytes(log[: 32 + 24 + PAGE])
    zero_page_with(home, NEW[30])
    restore(home)
    assert NEW[-1] not in runs_of(home)


def test_a_ledger_whose_main_file_is_gone_gets_back_what_its_log_holds(home: Path) -> None:
    (home / "ledger.db").unlink()
    assert restore(home).recovered["contexts"] == 1
    assert runs_of(home)[NEW[-1]] == LONG


@pytest.mark.parametrize("content", [b"", b"garbled" * 5000, b"\x0d" * 50_000, b"\x0d\x00\x00\xff\xff" * 10_000])
def test_nothing_is_made_up_out_of_a_file_that_holds_no_rows(home: Path, content: bytes) -> None:
    (home / "ledger.db").write_bytes(content)
    (home / "ledger.db-wal").write_bytes(content)
    restored = restore(home)
    assert not restored.recovered
    assert [*runs_of(home)] == sorted(OLD, reverse=True)


def test_a_row_does_not_come_back_without_the_one_that_it_refers_to(home: Path) -> None:
    log = home / "ledger.db-wal"
    content, written = log.read_bytes(), CONTEXT.key.encode() + b"remote"
    assert written in content
    log.write_bytes(content.replace(written, written.upper()))
    assert not {"contexts", "aliases"} & restore(home).recovered.keys()
    assert runs_of(home)[NEW[-1]] == LONG


def test_a_dry_run_says_what_would_come_back_and_changes_nothing(home: Path) -> None:
    zero_page_with(home, NEW[30])
    before = {each.name: each.read_bytes() for each in home.iterdir() if each.is_file()}
    planned = restore(home, dry_run=True)
    assert {each.name: each.read_bytes() for each in home.iterdir() if each.is_file()} == before
    done = restore(home)
    assert (planned.recovered, planned.missing) == (done.recovered, done.missing)
    many = sum(done.recovered.values())
    assert f"{many} rows written since would be recovered" in describe_restored(planned, dry_run=True)
    says = describe_restored(done)
    lost = done.missing["runs"]
    assert f"{many} rows written since were recovered (1 project, 1 folder of a project, {many - 2} runs)" in says
    assert re.search(rf"between then and [-\d: ]+ and could not be read is lost: at least {lost} runs", says)
    assert str(done.aside) in says
