"""Outcomes of sessions in trials, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.trial import TrialOutcome
from wisen.store.escapes import from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.database_port import Database, Value

OUTCOMES = Table(
    "outcomes", ("id", "machine", "agent", "session", "subject", "version", "at", "relevant", "hit", "rails")
)


class TrialOutcomes(Protocol):
    """The outcomes of sessions in trials."""

    def add(self, rows: Iterable[TrialOutcome]) -> None:
        """Record outcomes in one transaction; the first record of each counts."""
        ...

    def all(self) -> tuple[TrialOutcome, ...]:
        """Return the outcomes, oldest first."""
        ...


class SqlTrialOutcomes:
    """Trial outcomes in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, rows: Iterable[TrialOutcome]) -> None:
        """Record outcomes in one transaction; the first record of each counts."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name, None) for name in OUTCOMES.columns}
                values |= {"at": microseconds(row.at), "relevant": int(row.relevant), "hit": int(row.hit)}
                values["rails"] = json.dumps(dict(row.guardrails), sort_keys=True, separators=(",", ":"))
                add_row(self._db, OUTCOMES, values)

    def all(self) -> tuple[TrialOutcome, ...]:
        """Return the outcomes, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(map(_outcome, read_rows(self._db, OUTCOMES, order)))


def _outcome(row: dict[str, Value]) -> TrialOutcome:
    texts = {name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "subject", "version")}
    return TrialOutcome(
        **texts,
        at=from_microseconds(cast("int", row["at"])),
        relevant=bool(row["relevant"]),
        hit=bool(row["hit"]),
        guardrails=json.loads(cast("str", row["rails"])),
    )
