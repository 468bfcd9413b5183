"""Opens a store's SQLite file: checks it read-only first, and rejects what is not ours before any byte is changed."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import mkstemp
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from wisen.errors import StoreDamaged, StoreError, StoreReadOnly
from wisen.store import migrate as migrations
from wisen.store.migrate import migrate, schema_version
from wisen.store.sqlite import SqliteDatabase, damage_error, table_names, translate_errors, verify_structure
from wisen.system.durable_folders import create_folder, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from wisen.store.migrate import Store

SUFFIXES = ("", "-wal", "-shm", "-journal")
"""The suffixes of a store's file and of the files that SQLite keeps next to it."""
_APPLICATION_ID = slice(68, 72)
"""Where SQLite's header holds it."""


class DatabaseKind(Struct, frozen=True, kw_only=True):
    """What distinguishes the files of one store from another's."""

    store: Store
    application_id: int
    """Written into the file header: a file of another program is never mistaken for ours."""
    thorough: bool
    """Whether the whole structure is checked at each opening; only for small files."""
    pragmas: tuple[str, ...]
    """Set on each writing connection."""


LEDGER = DatabaseKind(
    store="ledger",
    application_id=0x5749534C,
    thorough=True,
    pragmas=("synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"),
)
INDEX = DatabaseKind(
    store="index",
    application_id=0x57495349,
    thorough=False,
    pragmas=("synchronous = NORMAL", "cache_size = -16384", "temp_store = MEMORY", "wal_autocheckpoint = 4000"),
)


def open_file(
    path: Path, kind: DatabaseKind, *, busy: float, must_exist: bool = False, read_only: bool = False
) -> SqliteDatabase:
    """Open the store in a file, creating it if there is none, unless `must_exist`.

    With `read_only` the structure is not checked: SQLite and the seals detect damage in what is read.

    Raises:
        StoreDamaged: the file is not as we wrote it; it is left byte for byte as it was.
        StoreNewer, StoreReadOnly, StoreBusy, StoreError: as their names say.
    """
    kind = replace(kind, thorough=kind.thorough and not read_only)
    if not _has_content(path, kind, busy):
        if must_exist:
            raise damage_error(path, "it is missing or empty, though it was backed up before")
        if not path.exists():
            _create(path, kind, busy)
    return _connect_writable(path, kind, busy)


@contextmanager
def open_read_only(path: Path, kind: DatabaseKind, *, busy: float) -> Iterator[SqliteDatabase]:
    """Open a store's file read-only after checking that it is ours and intact. Raises: as `open_file`."""
    if not path.exists():
        raise damage_error(path, "it is missing")
    _roll_back(path, kind, busy)
    db = _connect(path, kind, busy, mode="ro")
    try:
        if db.query_int("PRAGMA application_id") != kind.application_id:
            raise damage_error(path, f"it is not wisen's {kind.store}, or its header is garbled")
        if kind.thorough:
            verify_structure(db, "integrity_check")
        if schema_version(db, kind.store) == 0:
            raise damage_error(path, "its record of migrations is missing")
        yield db
    finally:
        db.close()


def expected_names(kind: DatabaseKind) -> frozenset[str]:
    """Return the names of the tables and indexes that a store of this version has."""
    return _names_after_migrations(kind, tuple(each.name for each in migrations.known_migrations(kind.store)))


@cache
def _names_after_migrations(kind: DatabaseKind, steps: tuple[str, ...]) -> frozenset[str]:
    del steps  # a store that was migrated less far has fewer
    place = Path(":memory:")
    db = SqliteDatabase(sqlite3.connect(place, isolation_level=None), place, kind.application_id)
    try:
        migrate(db, kind.store)
        return table_names(db)
    finally:
        db.close()


def move_aside(path: Path, at: datetime) -> Path:
    """Rename a store's file and the files next to it, so that nothing is lost; returns the new path."""
    stamp = f"{at:%Y%m%dT%H%M%S%f}"
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    again = 1
    while any(os.path.lexists(aside.with_name(aside.name + side)) for side in SUFFIXES):
        again += 1
        aside = path.with_name(f"{path.name}.damaged-{stamp}-{again}")
    with translate_errors(path):
        for side in SUFFIXES:
            present = path.with_name(path.name + side)
            if os.path.lexists(present):  # also a dangling link
                present.rename(aside.with_name(aside.name + side))
        sync_folder(path.parent)
    return aside


def _has_content(path: Path, kind: DatabaseKind, busy: float) -> bool:
    with translate_errors(path):
        # Checked first: another process may be creating the file and its log at this moment.
        log = path.with_name(f"{path.name}-wal")
        if _size(log) and not _size(path):
            raise damage_error(path, f"it is missing or empty, though {log.name} next to it holds part of it")
        if path.is_symlink() and not path.exists():
            raise damage_error(path, "it is a dangling link")
        if not path.exists():
            return False
        if not path.is_file():
            raise damage_error(path, "it is not a file")
        for place in (path, path.parent):
            if not os.access(place, os.R_OK | os.W_OK):
                raise StoreReadOnly(
                    f"{place} cannot be read and written. Change its permissions: `chmod u+rw {place}`."
                )
        if path.stat().st_size == 0:
            return False
    try:
        with open_read_only(path, kind, busy=busy):
            return True
    except StoreDamaged:
        if _never_filled(path, kind, busy):
            return False
        raise


def _size(path: Path) -> int:
    """Return the size of a file, 0 if there is none: SQLite removes its logs whenever the last process closes them."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _roll_back(path: Path, kind: DatabaseKind, busy: float) -> None:
    """Let SQLite undo a transaction that a power cut or a kill left half-done: who may only read cannot.

    Only a restored backup has one: in its first transaction it gets a write-ahead log instead.
    """
    journal = path.with_name(f"{path.name}-journal")
    with translate_errors(path):
        if not _size(journal):
            return
        with path.open("rb") as file:
            header = file.read(_APPLICATION_ID.stop)
    if header[_APPLICATION_ID] == kind.application_id.to_bytes(4, "big"):
        db = _connect(path, kind, busy)
        try:
            db.query_int("PRAGMA schema_version")
        finally:
            db.close()


def _never_filled(path: Path, kind: DatabaseKind, busy: float) -> bool:
    """Return whether a process was killed here, in an empty file, before its first transaction."""
    try:
        db = _connect(path, kind, busy, mode="ro")
        try:
            tables = db.query_int("SELECT count(*) FROM sqlite_master")
            return (tables, db.query_int("PRAGMA application_id"), db.query_int("PRAGMA page_count")) == (0, 0, 1)
        finally:
            db.close()
    except StoreDamaged:
        return False


def _create(path: Path, kind: DatabaseKind, busy: float) -> None:
    """Create a store under a temporary name, and rename it once all of it was read back from disk.

    So there is never half a store, and processes that start at the same moment end up with one: the first.
    """
    with translate_errors(path.parent):
        create_folder(path.parent)
        handle, name = mkstemp(prefix=f"{path.name}.new-", dir=path.parent)
        os.close(handle)
    new = Path(name)
    try:
        _fill(new, path, kind, busy)
        with translate_errors(path):
            _publish(new, path)
            sync_folder(path.parent)
    finally:
        for side in SUFFIXES:
            with suppress(OSError):
                new.with_name(new.name + side).unlink(missing_ok=True)


def _fill(new: Path, path: Path, kind: DatabaseKind, busy: float) -> None:
    """Write a whole store into a file and check it. Raises: StoreError if the disk is full."""
    db = _connect_writable(new, kind, busy, known_as=path)
    try:
        # On close SQLite moves its log into the file and ignores a failure: here it has to be reported.
        busy_pages, left, _ = db.run("PRAGMA wal_checkpoint(TRUNCATE)")[0]
    finally:
        db.close()
    log = new.with_name(f"{new.name}-wal")
    with translate_errors(path):
        if busy_pages or left or (log.exists() and log.stat().st_size):
            raise StoreError(f"{path} could not be written completely. Free some disk space and run it again.")
        handle = os.open(new, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    try:
        with open_read_only(new, replace(kind, thorough=True), busy=busy) as written:
            if expected_names(kind) - table_names(written):
                raise damage_error(new, "part of what was written is missing")
    except StoreDamaged as error:
        raise StoreError(
            f"{path} could not be written completely: {error} Free some disk space and run it again."
        ) from error


def _publish(new: Path, path: Path) -> None:
    try:
        path.hardlink_to(new)
    except FileExistsError:
        pass  # another process was first
    except OSError as error:
        # Some file systems have no hard links; there the first process is not quite as well protected.
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK) or path.exists():
            raise
        new.rename(path)


def _connect_writable(path: Path, kind: DatabaseKind, busy: float, *, known_as: Path | None = None) -> SqliteDatabase:
    db = _connect(path, kind, busy, known_as=known_as)
    try:
        for pragma in ("journal_mode = WAL", *kind.pragmas):
            db.run(f"PRAGMA {pragma}")
        migrate(db, kind.store)
    except StoreError:
        db.close()
        raise
    return db


def _connect(
    path: Path, kind: DatabaseKind, busy: float, *, mode: str = "rw", known_as: Path | None = None
) -> SqliteDatabase:
    with translate_errors(path):
        address = f"{path.absolute().as_uri()}?mode={mode}"
        connection = sqlite3.connect(address, timeout=busy, isolation_level=None, uri=True)
    return SqliteDatabase(connection, known_as or path, kind.application_id)
