"""What praise strengthened, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.reinforcement import PraiseMoment, Reinforcement
from wisen.store.escapes import from_microseconds, microseconds
from wisen.store.sealed_rows import MILLIONTHS, Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.database_port import Database, Value

REINFORCEMENTS = Table(
    "reinforcements", ("id", "machine", "agent", "session", "message", "subject", "how", "weight", "at")
)


class Reinforcements(Protocol):
    """What praise strengthened."""

    def add(self, rows: Iterable[Reinforcement]) -> None:
        """Record what praise strengthened, in one transaction; the first record counts."""
        ...

    def all(self) -> tuple[Reinforcement, ...]:
        """Return what praise strengthened, oldest first."""
        ...


class SqlReinforcements:
    """What praise strengthened, in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, rows: Iterable[Reinforcement]) -> None:
        """Record what praise strengthened, in one transaction; the first record counts."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name) for name in REINFORCEMENTS.columns}
                values |= {"how": row.how.value, "weight": round(row.weight * MILLIONTHS), "at": microseconds(row.at)}
                add_row(self._db, REINFORCEMENTS, values)

    def all(self) -> tuple[Reinforcement, ...]:
        """Return what praise strengthened, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(map(_reinforcement, read_rows(self._db, REINFORCEMENTS, order)))


def _reinforcement(row: dict[str, Value]) -> Reinforcement:
    texts = {name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "message", "subject")}
    return Reinforcement(
        **texts,
        how=PraiseMoment(cast("str", row["how"])),
        weight=cast("int", row["weight"]) / MILLIONTHS,
        at=from_microseconds(cast("int", row["at"])),
    )
