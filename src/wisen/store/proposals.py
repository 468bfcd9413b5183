"""Proposals in the ledger: the port, and its statements for every database. They are entered with `Entries.enter`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.entry import Proposal
from wisen.store.escapes import microseconds
from wisen.store.row_bodies import body_of, read_body
from wisen.store.seals import Table, add_row, read_rows

if TYPE_CHECKING:
    from wisen.store.dialect import Database, Value

PROPOSALS = Table("proposals", ("id", "entry", "at", "body", "asks"))


class Proposals(Protocol):
    """What a person was or is to be asked."""

    def all(self) -> tuple[Proposal, ...]:
        """Every proposal, oldest first."""
        ...


class SqlProposals:
    """Proposals in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> tuple[Proposal, ...]:
        """Every proposal, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(read_body(row, Proposal) for row in read_rows(self._db, PROPOSALS, order))


def add_proposal(db: Database, row: Proposal) -> None:
    """Inside a transaction: add a proposal; one that asks what was asked at the same time is left out."""
    values: dict[str, Value] = {"id": row.id, "entry": row.entry, "at": microseconds(row.at), "body": body_of(row)}
    add_row(db, PROPOSALS, values | {"asks": row.question_key})
