"""Snapshots of instruction files in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.snapshot import Snapshot
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.database_port import Database, Value

SNAPSHOTS = Table("snapshots", ("path", "machine", "at", "text", "digest"))


class FileSnapshots(Protocol):
    """The contents of files over time."""

    def add(self, snapshot: Snapshot) -> None:
        """Record the content of a file; the same text as in its newest snapshot changes nothing."""
        ...

    def of(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """Return the contents of a file, oldest first, on one machine or on all."""
        ...


class SqlFileSnapshots:
    """File snapshots in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, snapshot: Snapshot) -> None:
        """Record the content of a file; the same text as in its newest snapshot changes nothing."""
        values: dict[str, Value] = {name: getattr(snapshot, name) for name in SNAPSHOTS.columns}
        values["at"] = microseconds(snapshot.at)
        rest = f"WHERE path = ? AND machine = ? ORDER BY at DESC, digest COLLATE {self._db.bytewise} DESC LIMIT 1"
        with self._db.transaction():
            file = (escape(snapshot.path), escape(snapshot.machine))
            newest = next(read_rows(self._db, SNAPSHOTS, rest, file), None)
            if newest is None or newest["digest"] != snapshot.digest:
                add_row(self._db, SNAPSHOTS, values)

    def of(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """Return the contents of a file, oldest first, on one machine or on all."""
        rest, values = "WHERE path = ?", [escape(path)]
        if machine is not None:
            rest, values = f"{rest} AND machine = ?", [*values, escape(machine)]
        rest += f" ORDER BY at, machine COLLATE {self._db.bytewise}, digest COLLATE {self._db.bytewise}"
        return tuple(_snapshot(row) for row in read_rows(self._db, SNAPSHOTS, rest, tuple(values)))

    def every(self) -> Iterator[Snapshot]:
        """Return all snapshots, of all files and machines."""
        return map(_snapshot, read_rows(self._db, SNAPSHOTS))


def _snapshot(row: dict[str, Value]) -> Snapshot:
    return Snapshot(
        path=as_text(row["path"]),
        machine=as_text(row["machine"]),
        at=from_microseconds(as_int(row["at"])),
        text=as_text(row["text"]),
    )
