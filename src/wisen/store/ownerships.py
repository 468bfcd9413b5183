"""Ownership of files and folders, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.entry import Actor
from wisen.model.ownership import Ownership, OwnershipSubject, OwnershipVerdict
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.database_port import Database, Value

OWNERSHIP = Table(
    "ownership",
    ("id", "machine", "at", "subject", "path", "context", "verdict", "by_whom", "digest", "size", "identity"),
)


class Ownerships(Protocol):
    """Ownership of files and folders, per machine: a path on one says nothing about another."""

    def add(self, rows: Iterable[Ownership]) -> None:
        """Record ownership rows in one transaction; recording them again changes nothing."""
        ...

    def all(self) -> tuple[Ownership, ...]:
        """Return the ownership rows of all machines, oldest first."""
        ...

    def of(self, machine: str) -> tuple[Ownership, ...]:
        """Return the ownership rows of one machine, oldest first."""
        ...


class SqlOwnerships:
    """Ownership rows in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, rows: Iterable[Ownership]) -> None:
        """Record ownership rows in one transaction."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name, None) for name in OWNERSHIP.columns}
                values |= {"at": microseconds(row.at), "by_whom": row.by.value}
                values |= {"subject": row.subject.value, "verdict": row.verdict.value}
                add_row(self._db, OWNERSHIP, values)

    def all(self) -> tuple[Ownership, ...]:
        """Return the ownership rows of all machines, oldest first."""
        return self._read(None)

    def of(self, machine: str) -> tuple[Ownership, ...]:
        """Return the ownership rows of one machine, oldest first."""
        return self._read(machine)

    def _read(self, machine: str | None) -> tuple[Ownership, ...]:
        where, asked = ("", ()) if machine is None else ("WHERE machine = ? ", (escape(machine),))
        order = f"{where}ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(map(_ownership, read_rows(self._db, OWNERSHIP, order, asked)))


def _ownership(row: dict[str, Value]) -> Ownership:
    # The seal covers what we wrote, so the types are as certain as the values.
    texts = {name: cast("str", row[name]) for name in ("id", "machine", "path", "context", "digest", "identity")}
    return Ownership(
        **texts,
        at=from_microseconds(cast("int", row["at"])),
        subject=OwnershipSubject(cast("str", row["subject"])),
        verdict=OwnershipVerdict(cast("str", row["verdict"])),
        by=Actor(cast("str", row["by_whom"])),
        size=cast("int", row["size"]),
    )
