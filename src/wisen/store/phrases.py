"""The user's personal phrases, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias, cast

from wisen.model.phrase import PhraseProof, PhraseSearch, PhraseSource, UserPhrase
from wisen.model.signal import SignalKind
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.database_port import Database, Row, Value

PhraseRow: TypeAlias = UserPhrase | PhraseProof | PhraseSearch

_COUNTS = ("hits", "turns", "sessions", "signs", "others")
PHRASES = Table("phrases", ("id", "machine", "at", "text", "kind", "way", *_COUNTS))
PROOFS = Table(
    "phrase_proofs", ("id", "phrase", "machine", "agent", "session", "message", "at", "context", "quote", "signs")
)
SEARCHES = Table("phrase_searches", ("id", "machine", "at", "since", "way", "turns", "found"))
PHRASE_TABLES = (PHRASES, PROOFS, SEARCHES)


class Phrases(Protocol):
    """The phrases of users, per machine: what one person means by a word says nothing about another."""

    def add(self, rows: Iterable[PhraseRow]) -> None:
        """Record phrases, their evidence and the searches for them, in one transaction.

        Recording them again changes nothing.
        """
        ...

    def all(self) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of all machines, oldest first."""
        ...

    def of(self, machine: str) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of one machine, oldest first."""
        ...

    def proofs(self, machine: str | None = None) -> tuple[PhraseProof, ...]:
        """Return the turns that are evidence for the phrases of one machine, or of all, oldest first."""
        ...

    def searches(self, machine: str | None = None) -> tuple[PhraseSearch, ...]:
        """Return the searches for phrases on one machine, or on all, oldest first."""
        ...


class SqlPhrases:
    """Phrases in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, rows: Iterable[PhraseRow]) -> None:
        """Record phrases, their evidence and the searches for them, in one transaction."""
        with self._db.transaction():
            for row in rows:
                table = {UserPhrase: PHRASES, PhraseProof: PROOFS, PhraseSearch: SEARCHES}[type(row)]
                values: dict[str, Value] = {name: getattr(row, name) for name in table.columns}
                values["at"] = microseconds(row.at)
                if isinstance(row, PhraseSearch):
                    values["since"] = microseconds(row.since)
                for name in ("kind", "way"):
                    if name in values:
                        values[name] = str(values[name])
                add_row(self._db, table, values)

    def all(self) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of all machines, oldest first."""
        return tuple(map(_phrase, read_rows(self._db, PHRASES, *self._of(None))))

    def of(self, machine: str) -> tuple[UserPhrase, ...]:
        """Return the phrase rows of one machine, oldest first."""
        return tuple(map(_phrase, read_rows(self._db, PHRASES, *self._of(machine))))

    def proofs(self, machine: str | None = None) -> tuple[PhraseProof, ...]:
        """Return the turns that are evidence for the phrases of one machine, or of all, oldest first."""
        return tuple(map(_proof, read_rows(self._db, PROOFS, *self._of(machine, "at, "))))

    def searches(self, machine: str | None = None) -> tuple[PhraseSearch, ...]:
        """Return the searches for phrases on one machine, or on all, oldest first."""
        return tuple(map(_search, read_rows(self._db, SEARCHES, *self._of(machine))))

    def _of(self, machine: str | None, order: str = "") -> tuple[str, Row]:
        where = "" if machine is None else "WHERE machine = ? "
        return f"{where}ORDER BY {order}id COLLATE {self._db.bytewise}", () if machine is None else (escape(machine),)


def _phrase(row: dict[str, Value]) -> UserPhrase:
    # The seal covers what we wrote, so the types are as certain as the values.
    return UserPhrase(
        id=cast("str", row["id"]),
        machine=cast("str", row["machine"]),
        at=from_microseconds(cast("int", row["at"])),
        text=cast("str", row["text"]),
        kind=SignalKind(cast("str", row["kind"])),
        way=PhraseSource(cast("str", row["way"])),
        **{name: cast("int", row[name]) for name in _COUNTS},
    )


def _proof(row: dict[str, Value]) -> PhraseProof:
    texts = {name: cast("str", row[name]) for name in PROOFS.columns if name != "at"}
    return PhraseProof(**texts, at=from_microseconds(cast("int", row["at"])))


def _search(row: dict[str, Value]) -> PhraseSearch:
    return PhraseSearch(
        id=cast("str", row["id"]),
        machine=cast("str", row["machine"]),
        at=from_microseconds(cast("int", row["at"])),
        since=from_microseconds(cast("int", row["since"])),
        way=PhraseSource(cast("str", row["way"])),
        turns=cast("int", row["turns"]),
        found=cast("int", row["found"]),
    )
