"""A SQLite connection behind the database port: transactions, and translated errors of SQLite and the system.

Whether a file may be opened is decided in `sqlite_files.py`.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from wisen.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly
from wisen.store.database_port import REPAIR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wisen.store.database_port import Row, Value

    Values: TypeAlias = Sequence[Value] | Mapping[str, Value]

_FETCH_SIZE = 500
"""How many rows a stream fetches at a time."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_SYSTEM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS}
_REJECTED = {sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_INTERRUPT}


class SqliteDatabase:
    """A connection to one file, which is accessed in no other way."""

    bytewise = "BINARY"
    remedy = REPAIR

    def __init__(self, connection: sqlite3.Connection, path: Path, application_id: int) -> None:
        self.connection = connection
        self.path = path
        self._application_id = application_id

    @property
    def location(self) -> str:
        """Return the path of the file."""
        return str(self.path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a short write transaction: after the block everything is on disk, or nothing."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        finally:
            # After a COMMIT no transaction is open; after an error SQLite may have rolled back by itself.
            if self.connection.in_transaction:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")

    def run(self, statement: str, values: Values = ()) -> list[Row]:
        """Run a statement and return its rows, if any."""
        with translate_errors(self.path):
            return self.connection.execute(statement, values).fetchall()

    @property
    def change_token(self) -> object | None:
        """Return a value that is the same only if nothing has changed; None in a transaction: it may be undone."""
        if self.connection.in_transaction:
            return None
        by_others = self.query_int("PRAGMA data_version")
        return id(self.connection), self.connection.total_changes, by_others

    def run_many(self, statement: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run a statement for each row; returns how many rows of the table it changed."""
        with translate_errors(self.path):
            # For no rows at all this is -1.
            return max(self.connection.executemany(statement, rows).rowcount, 0)

    def stream(self, statement: str, values: Values = ()) -> Iterator[Row]:
        """Yield the rows of a query whose result may be large."""
        with translate_errors(self.path):
            cursor = self.connection.execute(statement, values)
        while True:
            with translate_errors(self.path):
                rows = cursor.fetchmany(_FETCH_SIZE)
            if not rows:
                return
            yield from rows

    def query_int(self, statement: str, values: Values = ()) -> int:
        """Return the one integer that a statement yields."""
        return self.as_int(self.run(statement, values)[0][0])

    def as_int(self, value: Value) -> int:
        """Return a value that we wrote as an integer. Raises: StoreDamaged."""
        if not isinstance(value, int):
            raise damage_error(self.path, "a value that should be a number is not one")
        return value

    def has_table(self, name: str) -> bool:
        """Return whether the table exists."""
        return bool(self.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)))

    def lock_for_writing(self) -> None:
        """Mark the file as ours; BEGIN IMMEDIATE already locks it."""
        self.run(f"PRAGMA application_id = {self._application_id}")

    def check(self) -> None:
        """Check the structure. Raises: StoreDamaged."""
        verify_structure(self, "integrity_check")
        if self.run("PRAGMA foreign_key_check"):
            raise damage_error(self.path, "rows refer to missing rows")

    def scrub(self, tables: Sequence[str] = ()) -> None:
        """Rewrite the whole file without the pages and the log that hold deleted rows. Raises: StoreBusy."""
        del tables  # the whole file
        with self._temporary_files_beside():
            self.run("VACUUM")
        self.truncate_log()

    @contextmanager
    def _temporary_files_beside(self) -> Iterator[None]:
        """Have SQLite keep large temporary data in a file beside this one, and neither in memory nor elsewhere."""
        before = self.query_int("PRAGMA temp_store")
        folder = str(self.path.parent).replace("'", "''")
        with suppress(StoreError, UnicodeEncodeError):  # a name that SQLite cannot take
            self.run(f"PRAGMA temp_store_directory = '{folder}'")
        if self.run("PRAGMA temp_store_directory"):  # else this SQLite has no such setting
            self.run("PRAGMA temp_store = FILE")
        try:
            yield
        finally:
            self.run(f"PRAGMA temp_store = {before}")
            self.run("PRAGMA temp_store_directory = ''")

    def truncate_log(self) -> None:
        """Move the log into the file and leave nothing in it. Raises: StoreBusy."""
        busy, *_ = self.run("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        if busy:
            raise StoreBusy(
                f"{self.path} is read by another process, so its log may still hold what was deleted. "
                "Wait for it to end and run this again."
            )

    def close(self) -> None:
        """Close the file."""
        with translate_errors(self.path):
            self.connection.close()


def as_float(db: SqliteDatabase, value: Value) -> float:
    """Return a value that we wrote as a float. Raises: StoreDamaged."""
    if not isinstance(value, float):
        raise damage_error(db.path, "a value that should be a number is not one")
    return value


def table_names(db: SqliteDatabase) -> frozenset[str]:
    """Return the names of the tables and indexes of a database."""
    return frozenset(str(name) for (name,) in db.run("SELECT name FROM sqlite_master"))


def verify_structure(db: SqliteDatabase, pragma: str) -> None:
    """Let SQLite check its own structure. Raises: StoreDamaged."""
    problems = [str(row[0]) for row in db.run(f"PRAGMA {pragma}(1)")]
    if problems != ["ok"]:
        raise damage_error(db.path, problems[0] if problems else "SQLite cannot read its structure")


def damage_error(path: Path, why: str) -> StoreDamaged:
    """Return the error for a file that is not as we wrote it."""
    return StoreDamaged(f"{path} is damaged: {why}. {REPAIR}")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Translate errors of SQLite and the system into StoreErrors."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a closed connection or a wrong thread is a bug of ours, and is shown as one
    except sqlite3.Error as error:
        raise _sqlite_error(path, error) from error
    except UnicodeDecodeError as error:
        # Python fails on SQLite's own message if that quotes a garbled name.
        raise damage_error(path, "it holds names that are not UTF-8") from error
    except OSError as error:
        raise _system_error(path, error) from error


def _system_error(path: Path, error: OSError) -> StoreError:
    """Return the error for a failed system call."""
    word = error.strerror or type(error).__name__
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreReadOnly(f"{path} cannot be written: {word}. Make it writable, or choose another home.")
    return StoreError(f"{path}: {word}. Nothing was half-written; fix this and run it again.")


def _sqlite_error(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # The text of such an error quotes the row, which must not be in a message.
        return damage_error(path, "it holds text that is not UTF-8")
    word, primary = f"{error} ({error.sqlite_errorname})", code & 0xFF
    if primary in _BUSY:
        return StoreBusy(f"{path} is in use by another process ({word}). Wait for it to end and run this again.")
    if primary in _READ_ONLY:
        return StoreReadOnly(f"{path} cannot be written: {word}. Make it and its folder writable.")
    if primary in _SYSTEM:
        return StoreError(f"{path}: {word}. Nothing was half-written; free some disk space and run it again.")
    if primary in _REJECTED:
        return StoreError(f"{path} rejected the statement: {word}.")
    return damage_error(path, word)
