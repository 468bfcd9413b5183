"""Contexts and the directories they were seen in, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.context import Alias, Context, ContextKind
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.database_port import Database, Value

CONTEXTS = Table("contexts", ("key", "kind", "name"))
ALIASES = Table("aliases", ("context", "machine", "path", "since"))


class Contexts(Protocol):
    """All contexts ever seen, and their directories."""

    def add(self, context: Context, alias: Alias | None) -> None:
        """Record a context and the directory it was seen in; the first record of each is kept."""
        ...

    def all(self) -> tuple[Context, ...]:
        """Return every context ever seen, by key."""
        ...

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """Return the directories of one machine, by path."""
        ...


class SqlContexts:
    """Contexts in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, context: Context, alias: Alias | None) -> None:
        """Record a context and the directory it was seen in; the first record of each is kept."""
        with self._db.transaction():
            add_row(self._db, CONTEXTS, {"key": context.key, "kind": context.kind.value, "name": context.name})
            if alias is not None:
                add_row(
                    self._db,
                    ALIASES,
                    {
                        "context": alias.context,
                        "machine": alias.machine,
                        "path": alias.path,
                        "since": microseconds(alias.since),
                    },
                )

    def all(self) -> tuple[Context, ...]:
        """Return every context ever seen, by key."""
        contexts = (
            Context(key=as_text(row["key"]), kind=ContextKind(as_text(row["kind"])), name=as_text(row["name"]))
            for row in read_rows(self._db, CONTEXTS)
        )
        return tuple(sorted(contexts, key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """Return the directories of one machine, by path; one whose context changed is listed once for each."""
        rows = map(_alias, read_rows(self._db, ALIASES, "WHERE machine = ?", (escape(machine),)))
        return tuple(sorted(rows, key=lambda alias: (alias.path, alias.since, alias.context)))

    def every_alias(self) -> Iterator[Alias]:
        """Return the directories of all machines."""
        return map(_alias, read_rows(self._db, ALIASES))


def _alias(row: dict[str, Value]) -> Alias:
    return Alias(
        context=as_text(row["context"]),
        machine=as_text(row["machine"]),
        path=as_text(row["path"]),
        since=from_microseconds(as_int(row["since"])),
    )
