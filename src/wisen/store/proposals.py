"""Proposals in the ledger: the port, and its SQL for every database. Recorded with `Entries.record`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.entry import Proposal
from wisen.store.escapes import microseconds
from wisen.store.last_read import LastRead
from wisen.store.row_bodies import body_of, read_body
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from wisen.store.database_port import Database, Value

PROPOSALS = Table("proposals", ("id", "entry", "at", "body", "asks"))


class Proposals(Protocol):
    """The proposals made to a person."""

    def all(self) -> tuple[Proposal, ...]:
        """Return every proposal, oldest first."""
        ...


class SqlProposals:
    """Proposals in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._every = LastRead[tuple[Proposal, ...]](db)

    def all(self) -> tuple[Proposal, ...]:
        """Return every proposal, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        return self._every.get(lambda: tuple(read_body(row, Proposal) for row in read_rows(self._db, PROPOSALS, order)))


def add_proposal(db: Database, row: Proposal) -> None:
    """In a transaction: add a proposal, unless a concurrent one asks the same."""
    values: dict[str, Value] = {"id": row.id, "entry": row.entry, "at": microseconds(row.at), "body": body_of(row)}
    add_row(db, PROPOSALS, values | {"asks": row.question_key})
