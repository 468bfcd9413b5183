"""Guards in the ledger: the port, and its SQL for every database. They are recorded with `Entries.record`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.guard import Guard, newest_versions
from wisen.store.escapes import microseconds
from wisen.store.last_read import LastRead
from wisen.store.row_bodies import body_of, read_body
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from wisen.store.database_port import Database, Value

GUARDS = Table("guards", ("id", "version", "context", "at", "body"))


class Guards(Protocol):
    """The guards that inspect calls before they are made."""

    def all(self) -> tuple[Guard, ...]:
        """Return every guard in its newest version, oldest first."""
        ...


class SqlGuards:
    """Guards in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._every = LastRead[tuple[Guard, ...]](db)

    def all(self) -> tuple[Guard, ...]:
        """Return every guard in its newest version, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return self._every.get(
            lambda: newest_versions(read_body(row, Guard) for row in read_rows(self._db, GUARDS, order))
        )


def add_guard(db: Database, row: Guard) -> None:
    """In a transaction: add a version of a guard."""
    values: dict[str, Value] = {"id": row.id, "version": row.version, "context": row.context, "body": body_of(row)}
    add_row(db, GUARDS, values | {"at": microseconds(row.at)})
