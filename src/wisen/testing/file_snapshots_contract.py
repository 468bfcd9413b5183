"""The contract of every ledger for file snapshots, as a test suite."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from wisen.model.snapshot import Snapshot
from wisen.testing.ledger_contract import HOSTILE
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.ledger import Ledger


def a_snapshot(text: str, minute: int = 0, path: str = "/p/CLAUDE.md", machine: str = "desk") -> Snapshot:
    """Return a sample snapshot, so many minutes after noon."""
    return Snapshot(path=path, machine=machine, at=NOON + timedelta(minutes=minute), text=text)


class FileSnapshotsContract:
    """Fixtures: `ledger`, `reopen`."""

    def test_snapshots_of_a_file_come_back_as_they_were_oldest_first(
        self, ledger: Ledger, reopen: Callable[[], Ledger]
    ) -> None:
        exact = replace(a_snapshot("two", 1), at=datetime(2026, 3, 1, 12, 30, 0, 123457, tzinfo=UTC))
        zoned = replace(a_snapshot("three"), at=(NOON + timedelta(hours=1)).astimezone(timezone(timedelta(hours=9))))
        for snapshot in (zoned, exact, a_snapshot("one")):
            ledger.file_snapshots.add(snapshot)
        again = reopen()
        again.check()
        assert again.file_snapshots.of("/p/CLAUDE.md") == (a_snapshot("one"), exact, a_snapshot("three", 60))
        assert again.file_snapshots.of("/p/CLAUDE.md")[-1].at.utcoffset() == timedelta(0)
        assert again.file_snapshots.of("/p") == ()

    def test_the_same_text_as_in_the_newest_snapshot_changes_nothing(self, ledger: Ledger) -> None:
        for minute, text in enumerate(("one", "one", "two", "one", "one")):
            ledger.file_snapshots.add(a_snapshot(text, minute))
        found = [(each.text, each.at) for each in ledger.file_snapshots.of("/p/CLAUDE.md")]
        assert found == [
            (text, NOON + timedelta(minutes=minute)) for text, minute in (("one", 0), ("two", 2), ("one", 3))
        ]

    def test_two_texts_of_the_same_moment_are_both_kept_and_once(self, ledger: Ledger) -> None:
        for text in ("one", "two", "one", "two"):
            ledger.file_snapshots.add(a_snapshot(text))
        assert {each.text for each in ledger.file_snapshots.of("/p/CLAUDE.md")} == {"one", "two"}
        assert len(ledger.file_snapshots.of("/p/CLAUDE.md")) == 2

    def test_files_and_machines_have_snapshots_of_their_own(self, ledger: Ledger) -> None:
        for path in ("/p/CLAUDE.md", "/p/claude.md"):
            for machine in ("desk", "lap"):
                ledger.file_snapshots.add(a_snapshot("same", path=path, machine=machine))
        assert [each.machine for each in ledger.file_snapshots.of("/p/CLAUDE.md")] == ["desk", "lap"]
        assert ledger.file_snapshots.of("/p/claude.md", machine="lap") == (
            a_snapshot("same", 0, "/p/claude.md", "lap"),
        )
        assert ledger.file_snapshots.of("/p/CLAUDE.md", machine="no such machine") == ()

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_text_of_a_snapshot_comes_back_as_it_was(
        self, ledger: Ledger, reopen: Callable[[], Ledger], text: str
    ) -> None:
        ledger.file_snapshots.add(a_snapshot(text, 0, text, text))
        ledger.file_snapshots.add(a_snapshot(text, 1, text, text))
        again = reopen()
        again.check()
        assert (
            again.file_snapshots.of(text)
            == again.file_snapshots.of(text, machine=text)
            == (a_snapshot(text, 0, text, text),)
        )
