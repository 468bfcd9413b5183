"""Makes verified backups of a ledger file, and restores them.

A backup counts only after it was verified: its structure, as many rows as the ledger had, and every row. A row is as it
was in the backup before, which was verified too, or its seal is checked. The first backup of a day is read completely.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from msgspec.structs import replace

from wisen.errors import StoreDamaged, StoreNewer
from wisen.model.plausible_time import nearest_time
from wisen.store.ledger import TABLES, SqlLedger
from wisen.store.migrate import known_migrations, migrate, schema_version
from wisen.store.salvage import Restored, recover_rows
from wisen.store.sealed_rows import read_rows
from wisen.store.sqlite import SqliteDatabase, damage_error, translate_errors, verify_structure
from wisen.store.sqlite_files import LEDGER, move_aside, open_read_only
from wisen.system.durable_folders import create_folder, sync_folder
from wisen.system.folder_lock import lock_folder
from wisen.system.home_access import leftovers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from wisen.store.ledger import Ledger
    from wisen.store.sealed_rows import Table
    from wisen.system.machine_ports import Clock

_NAME = "ledger-%Y%m%dT%H%M%S%f"
"""The name of a backup, without its ending: when it was made."""
# How long a process waits for another one's backup: a ledger of a million events takes a fraction of it.
_LOCK_SECONDS = 120.0


def list_backups(folder: Path) -> list[Path]:
    """Return the backups in a folder, newest first."""
    with translate_errors(folder):
        return sorted(folder.glob("ledger-*.db"), reverse=True)


class Backups(Protocol):
    """Backups of a ledger in a file. A ledger on a server is backed up by the server's own means."""

    def create(self) -> Path:
        """Copy the ledger, verify the copy, and delete the oldest backups beyond the number to keep.

        Returns the newest backup: an earlier one if nothing changed since.
        """
        ...

    def newest_valid(self) -> Path | None:
        """Return the newest backup that can be read completely."""
        ...

    def renew(self, holds_forgotten: Callable[[Ledger], bool]) -> tuple[Path, ...]:
        """Create a backup, then delete the older ones that hold something, or for which that is unknown.

        Returns the deleted files, which include ledgers moved aside as damaged.
        """
        ...

    def restore(self, copy: Path, *, dry_run: bool = False) -> Restored:
        """Replace the ledger by a backup and what can still be read of the current file, which is moved aside."""
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
            newest = next(iter(list_backups(self._folder)), None)
            if newest is not None and self._is_of_today(newest) and self._is_unchanged_since(newest):
                self._remove_partial()
                return newest
            return self._make()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Let one process at a time make backups: any other partial file in the folder is from one that was killed."""
        with translate_errors(self._folder):
            create_folder(self._folder)
        with lock_folder(self._folder, timeout=_LOCK_SECONDS):
            yield

    def _make(self) -> Path:
        copy = self._folder / f"{self._clock.now():{_NAME}}.db"
        part = copy.with_name(copy.name + ".part")
        before = next(iter(list_backups(self._folder)), None)
        self._remove_partial()
        try:
            rows = self._copy_to(part)
            found = self._verify_changes(part, before) if before is not None and self._is_of_today(before) else None
            if (self._verify(part) if found is None else found) != rows:
                raise damage_error(part, "the copy differs from the ledger")
            with translate_errors(copy):
                part.rename(copy)
                sync_folder(self._folder)
        finally:
            with translate_errors(part):
                part.unlink(missing_ok=True)
        self._drop_oldest(copy)
        return copy

    def _remove_partial(self) -> None:
        with translate_errors(self._folder):
            for left in self._folder.glob("*.part*"):
                left.unlink(missing_ok=True)

    def _is_of_today(self, copy: Path) -> bool:
        return copy.name.startswith(f"ledger-{self._clock.now():%Y%m%d}T")

    def _is_unchanged_since(self, copy: Path) -> bool:
        """Whether the ledger has the same rows as a backup; False where that is not certain."""
        with suppress(StoreDamaged, StoreNewer), self._open_quickly(self._ledger) as db, _attached(db, copy):
            return _row_counts(db) == _row_counts(db, "backup") and not any(
                db.run(f"{_changed_rows(table)} LIMIT 1") for table in TABLES
            )
        return False

    def _verify_changes(self, part: Path, before: Path) -> dict[str, int] | None:
        """Verify the structure of a copy, and every row that is not as in the backup before; returns its row counts.

        None where that is not possible or something is wrong, such as after a migration: everything has to be read.
        """
        with suppress(StoreDamaged, StoreNewer), self._open_quickly(part) as db:
            verify_structure(db, "quick_check")
            with _attached(db, before):
                for table in TABLES:
                    for _ in read_rows(db, table, f"WHERE rowid IN ({_changed_rows(table)})"):
                        pass
            return _row_counts(db)
        return None

    @contextmanager
    def _open_quickly(self, path: Path) -> Iterator[SqliteDatabase]:
        """Open a ledger of the current version without checking its structure. Raises: StoreDamaged."""
        with open_read_only(path, replace(LEDGER, thorough=False), busy=self._busy) as db:
            if schema_version(db, LEDGER.store) != known_migrations(LEDGER.store)[-1].version:
                raise damage_error(path, "it is of an older version")
            yield db

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

    def restore(self, copy: Path, *, dry_run: bool = False) -> Restored:
        """Replace the ledger by a backup and what can still be read of the current file, which is moved aside."""
        with self._open_migrated(copy) as db:
            SqlLedger(db).check()
            with translate_errors(copy), closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
                db.connection.backup(memory)
                restored = SqliteDatabase(memory, self._ledger, LEDGER.application_id)
                restored.run("PRAGMA foreign_keys = ON")
                recovery = recover_rows(restored, self._ledger, copy)
                SqlLedger(restored).check()
                result = Restored(
                    copy=copy,
                    made=self._made_at(copy),
                    written=self._last_write(),
                    recovered=recovery.recovered,
                    missing=recovery.missing,
                )
                return result if dry_run else replace(result, aside=self._replace_by(restored))

    def _replace_by(self, restored: SqliteDatabase) -> Path | None:
        """Put a database in the place of the ledger's file; returns where that is now, if there was one."""
        part = self._ledger.with_name(self._ledger.name + ".part")
        with translate_errors(part):
            create_folder(self._ledger.parent)
        _write_file(restored, part)
        aside = move_aside(self._ledger, self._clock.now())
        with translate_errors(self._ledger):
            part.rename(self._ledger)
            sync_folder(self._ledger.parent)
            return aside if aside.exists() else None

    def _made_at(self, copy: Path) -> datetime:
        try:
            return datetime.strptime(copy.stem, _NAME).replace(tzinfo=UTC)
        except ValueError:
            return nearest_time(copy.stat().st_mtime)

    def _last_write(self) -> datetime:
        """Return when the ledger's file or its log was last written; now if there is neither."""
        files = (self._ledger, self._ledger.with_name(f"{self._ledger.name}-wal"))
        times = [each.stat().st_mtime for each in files if each.is_file()]
        return nearest_time(max(times)) if times else self._clock.now()

    def _copy_to(self, part: Path) -> dict[str, int]:
        """Copy the ledger at one point in time, and return its row counts then."""
        # Its structure is checked in the copy.
        with open_read_only(self._ledger, replace(LEDGER, thorough=False), busy=self._busy) as present:
            # One read transaction around the count and the copy: concurrent writers change neither.
            present.run("BEGIN")
            rows = _row_counts(present)
            _write_file(present, part)
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


def _row_counts(db: SqliteDatabase, schema: str = "main") -> dict[str, int]:
    names = [table.name for table in TABLES]
    counts = db.run("SELECT " + ", ".join(f"(SELECT count(*) FROM {schema}.{name})" for name in names))[0]  # noqa: S608 - constant names
    return dict(zip(names, map(db.as_int, counts), strict=True))


@contextmanager
def _attached(db: SqliteDatabase, copy: Path) -> Iterator[None]:
    """Let statements read a backup too."""
    db.run("ATTACH ? AS backup", (f"{copy.absolute().as_uri()}?mode=ro",))
    try:
        yield
    finally:
        db.run("DETACH backup")


def _changed_rows(table: Table) -> str:
    """Return the query for the rows that are not the same in the attached backup."""
    is_changed = " OR ".join(f"there.{column} IS NOT here.{column}" for column in (*table.columns, "seal"))
    tables = f"main.{table.name} here LEFT JOIN backup.{table.name} there ON there.rowid = here.rowid"
    return f"SELECT here.rowid FROM {tables} WHERE {is_changed}"  # noqa: S608 - constant names


def _write_file(db: SqliteDatabase, part: Path) -> None:
    """Copy a database into a file, and flush that to disk."""
    with translate_errors(part):
        part.unlink(missing_ok=True)
        _private(part)
        with closing(sqlite3.connect(part, isolation_level=None)) as target:
            # Until it is renamed nobody needs what was copied, and it is flushed to disk as a whole.
            target.execute("PRAGMA synchronous = OFF")
            target.execute("PRAGMA journal_mode = OFF")
            db.connection.backup(target)
            # A single complete file: nothing of it may be left in a separate write-ahead log.
            target.execute("PRAGMA journal_mode = DELETE")
        _sync(part)


def _private(path: Path) -> None:
    path.touch(mode=0o600)


def _sync(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
