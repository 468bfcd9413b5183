"""Decision rows (moves) in the ledger: the port, and its SQL for every database. Recorded with `Entries.record`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.decision import standing_moves
from wisen.model.entry import Actor, Move, MoveKind
from wisen.store.escapes import escape, from_microseconds, microseconds, unescape
from wisen.store.last_read import LastRead
from wisen.store.sealed_rows import DecodedRows, Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from wisen.store.database_port import Database, Value

MOVES = Table("moves", ("id", "subject", "machine", "at", "decider", "kind", "value", "why"))


class Moves(Protocol):
    """What was decided about entries, proposals and guards."""

    def all(self, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions in force, oldest first.

        With `include_undone` also undone ones, and the rows that group decisions and record undos.
        """
        ...

    def of(self, subject: str, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions about one entry, proposal or guard, as `all` does."""
        ...


class SqlMoves:
    """Decisions in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rows, self._every = DecodedRows(db, MOVES, _move), LastRead[tuple[Move, ...]](db)

    def all(self, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions, oldest first; with `include_undone` also undone ones."""
        return self._read(None, include_undone=include_undone)

    def of(self, subject: str, *, include_undone: bool = False) -> tuple[Move, ...]:
        """Return the decisions about one entry, proposal or guard; with `include_undone` also undone ones."""
        return self._read(subject, include_undone=include_undone)

    def _read(self, subject: str | None, *, include_undone: bool) -> tuple[Move, ...]:
        moves = self._every.get(lambda: self._select(None)) if subject is None else self._select(subject)
        return moves if include_undone else tuple(standing_moves(moves))

    def _select(self, subject: str | None) -> tuple[Move, ...]:
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        if subject is None:
            return self._rows.read(order)
        return tuple(map(_move, read_rows(self._db, MOVES, f"WHERE subject = ? {order}", (escape(subject),))))


def _move(row: dict[str, Value]) -> Move:
    return Move(
        id=as_text(row["id"]),
        subject=as_text(row["subject"]),
        machine=as_text(row["machine"]),
        at=from_microseconds(as_int(row["at"])),
        by=Actor(as_text(row["decider"])),
        kind=MoveKind(as_text(row["kind"])),
        value=as_text(row["value"]),
        why=as_text(row["why"]),
    )


def add_move(db: Database, row: Move) -> None:
    """In a transaction: add a decision."""
    values: dict[str, Value] = {name: getattr(row, name, None) for name in MOVES.columns}
    values |= {"at": microseconds(row.at), "decider": row.by.value, "kind": row.kind.value}
    add_row(db, MOVES, values)


def standing_values(db: Database, kinds: str) -> list[tuple[str, str, str]]:
    """Return kind, subject and value of moves of these kinds that are in force, as stored. Without seals."""
    order = f"ORDER BY id COLLATE {db.bytewise}"
    statement = f"SELECT id, kind, subject, value FROM moves WHERE kind IN ({kinds}) {order}"  # noqa: S608 - a constant
    rows = [tuple(map(str, row)) for row in db.run(statement)]
    undone = {id_ for _, kind, _, value in rows if kind == MoveKind.UNDO for id_ in unescape(value).split()}
    return [
        (kind, subject, value)
        for id_, kind, subject, value in rows
        if kind != MoveKind.UNDO and unescape(id_) not in undone
    ]


def split_occurrences(db: Database) -> dict[str, str]:
    """Return the occurrences that a person split off, with the entry that each belongs to. Without seals."""
    return {unescape(subject): unescape(value) for _, subject, value in standing_values(db, "'split', 'undo'")}
