"""The ledger's statements, written once for every database.

It does not open anything: `sqlite_ledger.py` and `postgres_ledger.py` do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from wisen.backends.stores.escapes import from_microseconds, microseconds, pack
from wisen.backends.stores.migrate import MIGRATIONS
from wisen.backends.stores.seals import Table, add, read
from wisen.domain.contexts import Alias, Context, ContextKind
from wisen.domain.runs import Run

if TYPE_CHECKING:
    from wisen.backends.stores.dialect import Database, Value

CONTEXTS = Table("contexts", ("key", "kind", "name"))
ALIASES = Table("aliases", ("context", "machine", "path", "since"))
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
TABLES = (MIGRATIONS, CONTEXTS, ALIASES, RUNS)


class SqlLedger:
    """A ledger in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def sight(self, context: Context, alias: Alias | None) -> None:
        """Remember a context and the directory it was seen in; the first sight of each stands."""
        with self._db.transaction():
            add(self._db, CONTEXTS, {"key": context.key, "kind": context.kind.value, "name": context.name})
            if alias is not None:
                add(
                    self._db,
                    ALIASES,
                    {
                        "context": alias.context,
                        "machine": alias.machine,
                        "path": alias.path,
                        "since": microseconds(alias.since),
                    },
                )

    def contexts(self) -> tuple[Context, ...]:
        """Every context ever seen, by key."""
        found = (
            Context(key=_text(row["key"]), kind=ContextKind(_text(row["kind"])), name=_text(row["name"]))
            for row in read(self._db, CONTEXTS)
        )
        return tuple(sorted(found, key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """The directories of one machine, by path; one that changed its context stands there once for each."""
        found = (
            Alias(
                context=_text(row["context"]),
                machine=_text(row["machine"]),
                path=_text(row["path"]),
                since=from_microseconds(_number(row["since"])),
            )
            for row in read(self._db, ALIASES, "WHERE machine = ?", (pack(machine),))
        )
        return tuple(sorted(found, key=lambda alias: (alias.path, alias.since, alias.context)))

    def record(self, run: Run) -> None:
        """Remember a run; recording the same one again changes nothing."""
        values: dict[str, Value] = {name: getattr(run, name) for name in RUNS.columns}
        values["started"], values["finished"] = microseconds(run.started), microseconds(run.finished)
        with self._db.transaction():
            add(self._db, RUNS, values)

    def runs(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        rest = f"ORDER BY started DESC, id COLLATE {self._db.bytewise} DESC LIMIT ?"
        return tuple(_run(row) for row in read(self._db, RUNS, rest, (limit,)))

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        self._db.check()
        for table in TABLES:
            for _ in read(self._db, table):
                pass

    def close(self) -> None:
        """Let go of it."""
        self._db.close()


def _run(row: dict[str, Value]) -> Run:
    return Run(
        id=_text(row["id"]),
        machine=_text(row["machine"]),
        started=from_microseconds(_number(row["started"])),
        finished=from_microseconds(_number(row["finished"])),
        version=_text(row["version"]),
        sources=_number(row["sources"]),
        read_bytes=_number(row["read_bytes"]),
        new_events=_number(row["new_events"]),
        withheld=_number(row["withheld"]),
        troubles=_number(row["troubles"]),
        error=cast("str | None", row["error"]),
    )


def _text(value: Value) -> str:
    # The seal was made of what we wrote, so the type is as certain as the value.
    return cast("str", value)


def _number(value: Value) -> int:
    return cast("int", value)
