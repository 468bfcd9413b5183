"""Runs in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.run import Run
from wisen.store.escapes import from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, as_int, as_optional_text, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.database_port import Database, Value

RUNS = Table(
    "runs",
    (
        "id",
        "machine",
        "started",
        "finished",
        "version",
        "sources",
        "read_bytes",
        "new_events",
        "withheld",
        "troubles",
        "error",
    ),
)


class Runs(Protocol):
    """The runs and their results."""

    def add(self, run: Run) -> None:
        """Record a run; recording it again changes nothing."""
        ...

    def newest(self, limit: int) -> tuple[Run, ...]:
        """Return the newest runs, newest first."""
        ...


class SqlRuns:
    """Runs in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, run: Run) -> None:
        """Record a run; recording it again changes nothing."""
        values: dict[str, Value] = {name: getattr(run, name) for name in RUNS.columns}
        values["started"], values["finished"] = microseconds(run.started), microseconds(run.finished)
        with self._db.transaction():
            add_row(self._db, RUNS, values)

    def newest(self, limit: int) -> tuple[Run, ...]:
        """Return the newest runs, newest first."""
        rest = f"ORDER BY started DESC, id COLLATE {self._db.bytewise} DESC LIMIT ?"
        return tuple(_run(row) for row in read_rows(self._db, RUNS, rest, (limit,)))

    def every(self) -> Iterator[Run]:
        """Return all runs, of all machines."""
        return map(_run, read_rows(self._db, RUNS))


def _run(row: dict[str, Value]) -> Run:
    return Run(
        id=as_text(row["id"]),
        machine=as_text(row["machine"]),
        started=from_microseconds(as_int(row["started"])),
        finished=from_microseconds(as_int(row["finished"])),
        version=as_text(row["version"]),
        sources=as_int(row["sources"]),
        read_bytes=as_int(row["read_bytes"]),
        new_events=as_int(row["new_events"]),
        withheld=as_int(row["withheld"]),
        troubles=as_int(row["troubles"]),
        error=as_optional_text(row["error"]),
    )
