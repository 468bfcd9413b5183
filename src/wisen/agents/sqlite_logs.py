"""Opens the SQLite databases of agents for reading only, without disturbing the agent that writes them."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from wisen.model.source import Source
from wisen.safety.regular_files import open_regular_file, read_at_most, reject_unfit_database

if TYPE_CHECKING:
    from pathlib import Path

_LOCK_TIMEOUT = 1.0
"""Seconds to wait for a lock; readers of a write-ahead log never wait for its writer."""


def open_read_only(path: Path) -> sqlite3.Connection:
    """Open a database for reading only. Texts are returned as bytes: one bad character must not hide the rest.

    Raises: sqlite3.Error, also if it or a file that SQLite opens next to it is not a regular file.
    """
    try:
        reject_unfit_database(path)
    except OSError as error:
        raise sqlite3.OperationalError(error.strerror or "it cannot be opened") from error
    mode = "mode=ro&immutable=1" if _is_closed(path) else "mode=ro"
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=_LOCK_TIMEOUT)
    database.text_factory = bytes
    return database


def _is_closed(path: Path) -> bool:
    """Whether the write-ahead log of a database in WAL mode is empty, so that no process has it open.

    Reading such a database would make SQLite leave two files next to it. If the agent opens it at the same moment, its
    log changes the source, which is then read again.
    """
    log = path.with_name(path.name + "-wal")
    try:
        with open_regular_file(path) as file:
            is_wal = read_at_most(file, 20)[18:] == b"\x02\x02"
        return is_wal and not size_and_mtime(log)[0]
    except OSError:
        return False


def column_names(database: sqlite3.Connection, table: str) -> set[str]:
    """Return the columns of a table; none if there is no such table."""
    return {cell_text(row[0]) for row in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}


def cell_text(cell: bytes | str) -> str:
    """Decode a text cell."""
    return cell.decode("utf-8", "replace") if isinstance(cell, bytes) else str(cell)


def database_source(agent: str, path: Path) -> Source:
    """Return a database as a source, including its write-ahead log."""
    files = [size_and_mtime(path), size_and_mtime(path.with_name(path.name + "-wal"))]
    size, modified = (max(values) for values in zip(*files, strict=True))
    return Source(agent=agent, file=str(path), size=size, modified_ns=modified)


def size_and_mtime(path: Path) -> tuple[int, int]:
    """Return the size and modification time of a file; zeros if there is none."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
