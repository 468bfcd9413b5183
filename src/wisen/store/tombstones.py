"""The ledger's statements about forgetting, written once for every database."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, cast

from wisen.model.context import Alias, Context
from wisen.model.snapshot import Snapshot
from wisen.model.tombstone import Key, KeyKind, Tombstone
from wisen.store.escapes import from_microseconds, microseconds, pack
from wisen.store.seals import Table, add, read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.store.dialect import Database, Value
    from wisen.store.tombstones_port import Row

TOMBSTONES = Table("tombstones", ("id", "machine", "at", "scope", "many"))
KEYS = Table("tombstone_keys", ("id", "tombstone", "kind", "agent", "session", "value", "size"))
GRAVES = (TOMBSTONES, KEYS)
_TABLES = {
    "Entry": "entries",
    "Occurrence": "occurrences",
    "Move": "moves",
    "Proposal": "proposals",
    "Guard": "guards",
    "Change": "changes",
    "Look": "looks",
    "Run": "runs",
    "Exposure": "exposures",
    "Outcome": "outcomes",
    "Reinforcement": "reinforcements",
    "Ownership": "ownership",
    "Snapshot": "snapshots",
    "Alias": "aliases",
    "Context": "contexts",
    "Record": "records",
    "Proof": "phrase_proofs",
    "OwnPhrase": "phrases",
    "Search": "phrase_searches",
}
"""Where rows are, by their kind; what others point to comes behind them."""


class SqlGraves:
    """What was forgotten, in a database, and how rows go."""

    _db: Database

    def bury(self, tombstone: Tombstone, keys: Iterable[Key]) -> None:
        """Remember that something is forgotten, all of it or nothing."""
        values: dict[str, Value] = {name: getattr(tombstone, name) for name in TOMBSTONES.columns}
        with self._db.transaction():
            add(self._db, TOMBSTONES, values | {"at": microseconds(tombstone.at)})
            for key in keys:
                self._add_key(tombstone.id, key)

    def tombstones(self) -> tuple[Tombstone, ...]:
        """Every tombstone, oldest first."""
        done = {row["tombstone"] for row in read(self._db, KEYS, "WHERE kind = ?", (KeyKind.DONE.value,))}
        return tuple(
            Tombstone(
                id=cast("str", row["id"]),
                machine=cast("str", row["machine"]),
                at=from_microseconds(cast("int", row["at"])),
                scope=cast("str", row["scope"]),
                many=cast("int", row["many"]),
                done=row["id"] in done,
            )
            for row in read(self._db, TOMBSTONES, f"ORDER BY id COLLATE {self._db.bytewise}")
        )

    def buried(self, tombstone: str | None = None) -> tuple[Key, ...]:
        """The keys of all tombstones, or of one."""
        rest = "WHERE kind <> ?" if tombstone is None else "WHERE kind <> ? AND tombstone = ?"
        order = f"{rest} ORDER BY id COLLATE {self._db.bytewise}"
        asked = (KeyKind.DONE.value, *(() if tombstone is None else (pack(tombstone),)))
        return tuple(
            Key(
                kind=KeyKind(cast("str", row["kind"])),
                agent=cast("str", row["agent"]),
                session=cast("str", row["session"]),
                value=cast("str", row["value"]),
                size=cast("int", row["size"]),
            )
            for row in read(self._db, KEYS, order, asked)
        )

    def finish(self, tombstone: str, at: datetime) -> None:
        """Remember that everything a tombstone names is gone."""
        done = any(read(self._db, KEYS, "WHERE tombstone = ? AND kind = ?", (pack(tombstone), KeyKind.DONE.value)))
        if not done:
            with self._db.transaction():
                self._add_key(tombstone, Key(kind=KeyKind.DONE, value="", size=microseconds(at)))

    def _add_key(self, tombstone: str, key: Key) -> None:
        named: dict[str, Value] = {"id": f"{tombstone}-{key.id}", "tombstone": tombstone, "kind": key.kind.value}
        add(self._db, KEYS, named | {name: getattr(key, name) for name in ("agent", "session", "value", "size")})

    def lift(self, tombstone: str) -> None:
        """Take a tombstone away."""
        with self._db.transaction():
            for table, column in ((KEYS, "tombstone"), (TOMBSTONES, "id")):
                self._db.run(f"DELETE FROM {table.name} WHERE {column} = ?", (pack(tombstone),))  # noqa: S608 - ours

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows, all of them or none; returns how many were there."""
        of: dict[str, list[Row]] = defaultdict(list)
        for row in rows:
            of[type(row).__name__].append(row)
        gone = 0
        with self._db.transaction():
            for kind, table in _TABLES.items():
                # A resolution points to its failure, and goes before it.
                for row in sorted(of[kind], key=lambda each: getattr(each, "failure", None) is None):
                    where, values = _identity(row)
                    statement = f"DELETE FROM {table} WHERE {where} RETURNING 1"  # noqa: S608 - names are ours
                    gone += len(self._db.run(statement, values))
        return gone

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        self._db.scrub(sorted(_TABLES.values()))


def _identity(row: Row) -> tuple[str, tuple[Value, ...]]:
    if isinstance(row, Snapshot):
        values = pack(row.path), pack(row.machine), microseconds(row.at), row.digest
        return "path = ? AND machine = ? AND at = ? AND digest = ?", values
    if isinstance(row, Alias):
        return "machine = ? AND path = ? AND context = ?", (pack(row.machine), pack(row.path), pack(row.context))
    if isinstance(row, Context):
        return "key = ?", (pack(row.key),)
    return "id = ?", (pack(row.id),)
