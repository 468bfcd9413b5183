"""One SQLite connection behind the dialect: transactions, and every error of SQLite or the system in our own words.

It does not decide whether a file may be opened: `sqlite_files.py` does.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TypeAlias

from wisen.errors import StoreBusy, StoreDamaged, StoreError, StoreReadOnly
from wisen.store.dialect import REPAIR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wisen.store.dialect import Row, Value

    Values: TypeAlias = Sequence[Value] | Mapping[str, Value]

_MANY = 500
"""Rows that a stream takes at a time."""

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_READ_ONLY = {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH}
_SYSTEM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_NOLFS}
_REFUSED = {sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_ABORT, sqlite3.SQLITE_INTERRUPT}


class SqliteDatabase:
    """A connection to one file. The bytes of the file are only ever touched through it."""

    bytewise = "BINARY"
    remedy = REPAIR

    def __init__(self, connection: sqlite3.Connection, path: Path, application_id: int) -> None:
        self.connection = connection
        self.path = path
        self._application_id = application_id

    @property
    def location(self) -> str:
        """The file."""
        return str(self.path)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A short transaction for writing: all of it is on disk behind the block, or nothing."""
        self.run("BEGIN IMMEDIATE")
        try:
            yield
            self.run("COMMIT")
        finally:
            # Behind a COMMIT nothing is open; after an error SQLite may have rolled back by itself.
            if self.connection.in_transaction:
                with suppress(sqlite3.Error):
                    self.connection.execute("ROLLBACK")

    def run(self, statement: str, values: Values = ()) -> list[Row]:
        """The rows that one statement gives, if any."""
        with translate_errors(self.path):
            return self.connection.execute(statement, values).fetchall()

    def run_many(self, statement: str, rows: Iterable[Sequence[Value]]) -> int:
        """Run a statement for each row; returns how many rows of the table it changed."""
        with translate_errors(self.path):
            # No row at all leaves -1 there.
            return max(self.connection.executemany(statement, rows).rowcount, 0)

    def stream(self, statement: str, values: Values = ()) -> Iterator[Row]:
        """The rows of a question whose answer may be large."""
        with translate_errors(self.path):
            cursor = self.connection.execute(statement, values)
        while True:
            with translate_errors(self.path):
                rows = cursor.fetchmany(_MANY)
            if not rows:
                return
            yield from rows

    def query_int(self, statement: str, values: Values = ()) -> int:
        """The one whole number that a statement gives."""
        return self.as_int(self.run(statement, values)[0][0])

    def as_int(self, value: Value) -> int:
        """A value that we wrote as a whole number. Raises: StoreDamaged."""
        if not isinstance(value, int):
            raise damage_error(self.path, "something else stands where we wrote a number")
        return value

    def has_table(self, name: str) -> bool:
        """Whether the table is there."""
        return bool(self.run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,)))

    def lock_for_writing(self) -> None:
        """Sign the file as ours; BEGIN IMMEDIATE already keeps others out."""
        self.run(f"PRAGMA application_id = {self._application_id}")

    def check(self) -> None:
        """Look the structure over. Raises: StoreDamaged."""
        verify_structure(self, "integrity_check")
        if self.run("PRAGMA foreign_key_check"):
            raise damage_error(self.path, "rows point to rows that are not there")

    def scrub(self, tables: Sequence[str] = ()) -> None:
        """Write the whole file anew, without the pages and the log in which deleted rows stand. Raises: StoreBusy."""
        del tables  # all of them
        self.run("VACUUM")
        busy, *_ = self.run("PRAGMA wal_checkpoint(TRUNCATE)")[0]
        if busy:
            raise StoreBusy(
                f"{self.path} is read by another process, so its log may still hold what was deleted. "
                "Wait for it to end and run this again."
            )

    def close(self) -> None:
        """Let go of the file."""
        with translate_errors(self.path):
            self.connection.close()


def as_float(db: SqliteDatabase, value: Value) -> float:
    """A value that we wrote as a number with a fraction. Raises: StoreDamaged."""
    if not isinstance(value, float):
        raise damage_error(db.path, "something else stands where we wrote a number")
    return value


def table_names(db: SqliteDatabase) -> frozenset[str]:
    """The names of the tables and indexes of a database."""
    return frozenset(str(name) for (name,) in db.run("SELECT name FROM sqlite_master"))


def verify_structure(db: SqliteDatabase, pragma: str) -> None:
    """Let SQLite look at its own structure. Raises: StoreDamaged."""
    found = [str(row[0]) for row in db.run(f"PRAGMA {pragma}(1)")]
    if found != ["ok"]:
        raise damage_error(db.path, found[0] if found else "SQLite cannot read its structure")


def damage_error(path: Path, why: str) -> StoreDamaged:
    """The error for a file that is not what we wrote."""
    return StoreDamaged(f"{path} is damaged: {why}. {REPAIR}")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Say what SQLite or the system raises in our own words."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise  # a closed connection or a wrong thread is a defect of ours, and is shown as one
    except sqlite3.Error as error:
        raise _of_sqlite(path, error) from error
    except UnicodeDecodeError as error:
        # Python stumbles over SQLite's own message when that quotes a garbled name.
        raise damage_error(path, "it holds names that are not UTF-8") from error
    except OSError as error:
        raise _of_system(path, error) from error


def _of_system(path: Path, error: OSError) -> StoreError:
    """The error for what the system refused."""
    word = error.strerror or type(error).__name__
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StoreReadOnly(f"{path} cannot be written: {word}. Make it writable, or choose another home.")
    return StoreError(f"{path}: {word}. Nothing was written half; put this right and run it again.")


def _of_sqlite(path: Path, error: sqlite3.Error) -> StoreError:
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # The text of such an error quotes the row, which has no place in a message.
        return damage_error(path, "it holds text that is not UTF-8")
    word, primary = f"{error} ({error.sqlite_errorname})", code & 0xFF
    if primary in _BUSY:
        return StoreBusy(f"{path} is in use by another process ({word}). Wait for it to end and run this again.")
    if primary in _READ_ONLY:
        return StoreReadOnly(f"{path} cannot be written: {word}. Make it and its folder writable.")
    if primary in _SYSTEM:
        return StoreError(f"{path}: {word}. Nothing was written half; make room on the disk and run it again.")
    if primary in _REFUSED:
        return StoreError(f"{path} refused: {word}.")
    return damage_error(path, word)
