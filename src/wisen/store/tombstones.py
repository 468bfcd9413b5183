"""Tombstones of what was forgotten, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.tombstone import Tombstone, TombstoneKey, TombstoneKeyKind
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.store.database_port import Database, Value

TOMBSTONES = Table("tombstones", ("id", "machine", "at", "scope", "many"))
TOMBSTONE_KEYS = Table("tombstone_keys", ("id", "tombstone", "kind", "agent", "session", "value", "size"))
TOMBSTONE_TABLES = (TOMBSTONES, TOMBSTONE_KEYS)


class Tombstones(Protocol):
    """What was forgotten, so that it is not learned again."""

    def add(self, tombstone: Tombstone, keys: Iterable[TombstoneKey]) -> None:
        """Record that something is forgotten, in one transaction, before anything is removed."""
        ...

    def all(self) -> tuple[Tombstone, ...]:
        """Return every tombstone, oldest first."""
        ...

    def all_keys(self, tombstone: str | None = None) -> tuple[TombstoneKey, ...]:
        """Return the keys of all tombstones, or of one."""
        ...

    def finish(self, tombstone: str, at: datetime) -> None:
        """Record that everything a tombstone names was removed; recording it again changes nothing."""
        ...

    def remove(self, tombstone: str) -> None:
        """Delete a tombstone: what it kept out may be learned again."""
        ...


class SqlTombstones:
    """Tombstones in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, tombstone: Tombstone, keys: Iterable[TombstoneKey]) -> None:
        """Record that something is forgotten, in one transaction."""
        values: dict[str, Value] = {name: getattr(tombstone, name) for name in TOMBSTONES.columns}
        with self._db.transaction():
            add_row(self._db, TOMBSTONES, values | {"at": microseconds(tombstone.at)})
            for key in keys:
                self._add_key(tombstone.id, key)

    def all(self) -> tuple[Tombstone, ...]:
        """Return every tombstone, oldest first."""
        done = {
            row["tombstone"]
            for row in read_rows(self._db, TOMBSTONE_KEYS, "WHERE kind = ?", (TombstoneKeyKind.DONE.value,))
        }
        return tuple(
            Tombstone(
                id=cast("str", row["id"]),
                machine=cast("str", row["machine"]),
                at=from_microseconds(cast("int", row["at"])),
                scope=cast("str", row["scope"]),
                many=cast("int", row["many"]),
                done=row["id"] in done,
            )
            for row in read_rows(self._db, TOMBSTONES, f"ORDER BY id COLLATE {self._db.bytewise}")
        )

    def all_keys(self, tombstone: str | None = None) -> tuple[TombstoneKey, ...]:
        """Return the keys of all tombstones, or of one."""
        rest = "WHERE kind <> ?" if tombstone is None else "WHERE kind <> ? AND tombstone = ?"
        order = f"{rest} ORDER BY id COLLATE {self._db.bytewise}"
        values = (TombstoneKeyKind.DONE.value, *(() if tombstone is None else (escape(tombstone),)))
        return tuple(
            TombstoneKey(
                kind=TombstoneKeyKind(cast("str", row["kind"])),
                agent=cast("str", row["agent"]),
                session=cast("str", row["session"]),
                value=cast("str", row["value"]),
                size=cast("int", row["size"]),
            )
            for row in read_rows(self._db, TOMBSTONE_KEYS, order, values)
        )

    def finish(self, tombstone: str, at: datetime) -> None:
        """Record that everything a tombstone names was removed."""
        done = any(
            read_rows(
                self._db,
                TOMBSTONE_KEYS,
                "WHERE tombstone = ? AND kind = ?",
                (escape(tombstone), TombstoneKeyKind.DONE.value),
            )
        )
        if not done:
            with self._db.transaction():
                self._add_key(tombstone, TombstoneKey(kind=TombstoneKeyKind.DONE, value="", size=microseconds(at)))

    def _add_key(self, tombstone: str, key: TombstoneKey) -> None:
        row: dict[str, Value] = {"id": f"{tombstone}-{key.id}", "tombstone": tombstone, "kind": key.kind.value}
        add_row(
            self._db,
            TOMBSTONE_KEYS,
            row | {name: getattr(key, name) for name in ("agent", "session", "value", "size")},
        )

    def remove(self, tombstone: str) -> None:
        """Delete a tombstone."""
        with self._db.transaction():
            for table, column in ((TOMBSTONE_KEYS, "tombstone"), (TOMBSTONES, "id")):
                self._db.run(f"DELETE FROM {table.name} WHERE {column} = ?", (escape(tombstone),))  # noqa: S608 - constant names
