"""Adds to a restored ledger what can still be read out of the damaged one.

Each row whose seal is valid was written by us and stands for itself, wherever in the file it is found.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct, field

from wisen.errors import StoreError
from wisen.store.damaged_pages import PageFormat, read_stored_rows
from wisen.store.ledger import TABLES
from wisen.store.migrate import MIGRATIONS
from wisen.store.sealed_rows import add_row, unseal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

    from wisen.store.damaged_pages import StoredRow
    from wisen.store.database_port import Row, Value
    from wisen.store.sealed_rows import Table
    from wisen.store.sqlite import SqliteDatabase

_TABLES = tuple(table for table in TABLES if table != MIGRATIONS)


class Restored(Struct, frozen=True, kw_only=True):
    """What the restoration of a ledger brought back, or would."""

    copy: Path
    """The backup."""
    aside: Path | None = None
    """Where the damaged file is now; None if there was none, or if nothing was changed."""
    made: datetime
    """When the backup was made."""
    written: datetime
    """Until when the damaged file was written to."""
    recovered: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many rows that the backup lacks were read out of the damaged file, by table."""
    missing: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many rows are known to have been written after the backup and could not be read, by table. Rows after
    the last that could be read leave no trace."""


class Recovery(Struct, frozen=True, kw_only=True):
    """Rows by table: how many were added to a restored ledger, and how many are known to be missing."""

    recovered: Mapping[str, int]
    missing: Mapping[str, int]


def recover_rows(restored: SqliteDatabase, damaged: Path, backup: Path) -> Recovery:
    """Add each row of a damaged ledger that a restored backup lacks; a row with the same identity is kept once."""
    columns = {table.name: _stored_columns(restored, table) for table in _TABLES}
    seals = {table.name: {seal for (seal,) in restored.run(f"SELECT seal FROM {table.name}")} for table in _TABLES}  # noqa: S608 - constant names
    newest = {table.name: restored.query_int(f"SELECT coalesce(max(rowid), 0) FROM {table.name}") for table in _TABLES}  # noqa: S608 - constant names
    found: dict[str, list[StoredRow]] = defaultdict(list)
    new: list[tuple[Table, dict[str, Value]]] = []
    for row in read_stored_rows(damaged, PageFormat.of(backup)):
        for table, values in _belongs_to(row, columns, seals):
            found[table.name].append(row)
            if values is not None:
                new.append((table, values))
    recovered = Counter(_add_all(restored, new))
    missing = {name: _count_missing(rows, newest[name]) for name, rows in found.items()}
    return Recovery(recovered=recovered, missing={name: many for name, many in missing.items() if many})


def _count_missing(found: list[StoredRow], newest: int) -> int:
    """Return how many rows were written for sure after the newest one of the backup, and not found.

    Rows are numbered one after the other as they are written. No seal covers a row's number, so it counts only if the
    row beside it bears it out. Any other row that was found may be one of those that seem to be missing.
    """
    starts = Counter((row.page, row.rowid - row.number) for row in found)
    in_series = {row.values: row.rowid for row in found if starts[row.page, row.rowid - row.number] > 1}
    certain = {*in_series.values()}
    doubtful: set[Row] = set()
    for row in sorted((row for row in found if row.values not in in_series), key=lambda row: row.rowid):
        if row.rowid not in certain and certain & {row.rowid - 1, row.rowid + 1}:
            certain.add(row.rowid)  # it is alone on its page, or those beside it are damaged
        else:
            doubtful.add(row.values)
    return max(0, len({*range(newest + 1, max(certain, default=0))} - certain) - len(doubtful))


def _stored_columns(db: SqliteDatabase, table: Table) -> tuple[str, ...]:
    """Return the columns in the order in which they are stored: those that were added later follow the seal."""
    return tuple(str(name) for (name,) in db.run("SELECT name FROM pragma_table_info(?)", (table.name,)))


def _belongs_to(
    row: StoredRow, columns: Mapping[str, tuple[str, ...]], seals: Mapping[str, set[Value]]
) -> Iterator[tuple[Table, dict[str, Value] | None]]:
    """Yield the table whose seal a row has, with its values; None for them if the ledger holds that row."""
    for table in _TABLES:
        names = columns[table.name]
        # A row that was written before a column was added lacks its value.
        if not names.index("seal") < len(row.values) <= len(names):
            continue
        stored = dict(zip(names, row.values, strict=False))
        if stored["seal"] in seals[table.name]:
            yield table, None
            return
        values = unseal(table, (*(stored.get(name) for name in table.columns), stored["seal"]))
        if values is not None:
            yield table, values
            return


def _add_all(db: SqliteDatabase, rows: list[tuple[Table, dict[str, Value]]]) -> Iterator[str]:
    """Add rows, and yield the table of each that was not there. A row that refers to a missing one is left out."""
    while rows:
        refused: list[tuple[Table, dict[str, Value]]] = []
        for table, values in rows:
            before = db.connection.total_changes
            try:
                add_row(db, table, values)
            except StoreError:
                refused.append((table, values))  # what it refers to may come later
            if db.connection.total_changes > before:
                yield table.name
        if len(refused) == len(rows):
            return
        rows = refused
