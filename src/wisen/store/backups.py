"""Makes verified backups of a ledger file, and restores them.

A backup counts only after it was read completely: its structure, every seal, and as many rows as the ledger had.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from wisen.errors import StoreDamaged, StoreNewer
from wisen.store.ledger import TABLES, SqlLedger
from wisen.store.migrate import known_migrations, migrate, schema_version
from wisen.store.sqlite import SqliteDatabase, damage_error, translate_errors
from wisen.store.sqlite_files import LEDGER, move_aside, open_read_only, sync_folder
from wisen.system.folder_lock import lock_folder
from wisen.system.home_access import leftovers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Clock

# How long a process waits for another one's backup: a ledger of a million events takes a fraction of it.
_LOCK_SECONDS = 120.0


def list_backups(folder: Path) -> list[Path]:
    """Return the backups in a folder, newest first."""
    with translate_errors(folder):
        return sorted(folder.glob("ledger-*.db"), reverse=True)


class Backups(Protocol):
    """Backups of a ledger in a file. A ledger on a server is backed up by the server's own means."""

    def create(self) -> Path:
        """Copy the ledger, verify the copy, and delete the oldest backups beyond the number to keep."""
        ...

    def newest_valid(self) -> Path | None:
        """Return the newest backup that can be read completely."""
        ...

    def renew(self, holds_forgotten: Callable[[Ledger], bool]) -> tuple[Path, ...]:
        """Create a backup, then delete the older ones that hold something, or for which that is unknown.

        Returns the deleted files, which include ledgers moved aside as damaged.
        """
        ...

    def restore(self, copy: Path) -> Path:
        """Replace the ledger by a backup; the current file is moved aside, and its new path returned."""
        ...


class LedgerBackups:
    """The backups of one ledger."""

    def __init__(self, ledger: Path, folder: Path, *, clock: Clock, keep: int = 10, busy: float = 10.0) -> None:
        self._ledger = ledger
        self._folder = folder
        self._clock = clock
        self._keep = max(keep, 1)
        self._busy = busy

    def create(self) -> Path:
        """Copy the ledger, verify the copy, and delete the oldest backups beyond the number to keep."""
        with self._exclusive():
            return self._make()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Let one process at a time make backups: any other partial file in the folder is from one that was killed."""
        with translate_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with lock_folder(self._folder, timeout=_LOCK_SECONDS):
            yield

    def _make(self) -> Path:
        copy = self._folder / f"ledger-{self._clock.now():%Y%m%dT%H%M%S%f}.db"
        part = copy.with_name(copy.name + ".part")
        with translate_errors(self._folder):
            for left in self._folder.glob("*.part*"):
                left.unlink(missing_ok=True)
        try:
            rows = self._copy_to(part)
            if self._verify(part) != rows:
                raise damage_error(part, "the copy differs from the ledger")
            with translate_errors(copy):
                part.rename(copy)
                sync_folder(self._folder)
        finally:
            with translate_errors(part):
                part.unlink(missing_ok=True)
        self._drop_oldest(copy)
        return copy

    def newest_valid(self) -> Path | None:
        """Return the newest backup that can be read completely."""
        for copy in list_backups(self._folder):
            try:
                self._verify(copy)
            except (StoreDamaged, StoreNewer):
                continue
            return copy
        return None

    def renew(self, holds_forgotten: Callable[[Ledger], bool]) -> tuple[Path, ...]:
        """Create a backup, then delete the older ones that hold something, or for which that is unknown."""
        with self._exclusive():
            new_backup = self._make()
            removed = [
                copy
                for copy in list_backups(self._folder)
                if copy != new_backup and self._may_hold(copy, holds_forgotten)
            ]
            with translate_errors(self._folder):
                removed += leftovers(self._ledger.parent, self._clock.now())
                removed += self._ledger.parent.glob(f"{self._ledger.name}.damaged-*")
                for each in removed:
                    each.unlink(missing_ok=True)
                sync_folder(self._folder)
        return tuple(removed)

    def _may_hold(self, copy: Path, holds: Callable[[Ledger], bool]) -> bool:
        try:
            with self._open_migrated(copy) as db:
                return holds(SqlLedger(db))
        except (StoreDamaged, StoreNewer):
            return True

    def restore(self, copy: Path) -> Path:
        """Replace the ledger by a backup; the current file is moved aside, and its new path returned."""
        self._verify(copy)
        part = self._ledger.with_name(self._ledger.name + ".part")
        with translate_errors(part):
            self._ledger.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            _private(part)
            shutil.copyfile(copy, part)
            _sync(part)
        aside = move_aside(self._ledger, self._clock.now())
        with translate_errors(self._ledger):
            part.rename(self._ledger)
            sync_folder(self._ledger.parent)
        return aside

    def _copy_to(self, part: Path) -> dict[str, int]:
        """Copy the ledger at one point in time, and return its row counts then."""
        with open_read_only(self._ledger, LEDGER, busy=self._busy) as present:
            # One read transaction around the count and the copy: concurrent writers change neither.
            present.run("BEGIN")
            rows = _row_counts(present)
            with translate_errors(part):
                part.unlink(missing_ok=True)
                _private(part)
                with closing(sqlite3.connect(part, isolation_level=None)) as target:
                    present.connection.backup(target)
                    # A single complete file: nothing of it may be left in a separate write-ahead log.
                    target.execute("PRAGMA journal_mode = DELETE")
                _sync(part)
            present.run("ROLLBACK")
        return rows

    def _verify(self, copy: Path) -> dict[str, int]:
        with self._open_migrated(copy) as db:
            SqlLedger(db).check()
            return _row_counts(db)

    @contextmanager
    def _open_migrated(self, copy: Path) -> Iterator[SqliteDatabase]:
        """Open a backup as this version reads it: an older one is migrated in memory."""
        with open_read_only(copy, LEDGER, busy=self._busy) as db:
            if schema_version(db, LEDGER.store) == known_migrations(LEDGER.store)[-1].version:
                yield db
                return
            db.check()
            with translate_errors(copy), closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
                db.connection.backup(memory)
                present = SqliteDatabase(memory, copy, LEDGER.application_id)
                migrate(present, LEDGER.store)
                yield present

    def _drop_oldest(self, made: Path) -> None:
        # A clock that was set back must not make the new backup look old.
        others = [copy for copy in list_backups(self._folder) if copy != made]
        with translate_errors(self._folder):
            for copy in others[self._keep - 1 :]:
                copy.unlink(missing_ok=True)


def _row_counts(db: SqliteDatabase) -> dict[str, int]:
    return {table.name: db.query_int(f"SELECT count(*) FROM {table.name}") for table in TABLES}  # noqa: S608 - constant names


def _private(path: Path) -> None:
    path.touch(mode=0o600)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
