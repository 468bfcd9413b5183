"""Deletes rows of all types from the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Protocol, TypeAlias

from wisen.model.change import Change, ChangeCheck
from wisen.model.context import Alias, Context
from wisen.model.entry import Entry, Move, Occurrence, Proposal
from wisen.model.exposure import Exposure
from wisen.model.guard import Guard
from wisen.model.learning import Record
from wisen.model.ownership import Ownership
from wisen.model.phrase import PhraseProof, PhraseSearch, UserPhrase
from wisen.model.reinforcement import Reinforcement
from wisen.model.run import Run
from wisen.model.snapshot import Snapshot
from wisen.model.trial import TrialOutcome
from wisen.store.changes import SqlChanges
from wisen.store.contexts import SqlContexts
from wisen.store.entries import SqlEntries
from wisen.store.escapes import escape, microseconds
from wisen.store.exposures import SqlExposures
from wisen.store.file_snapshots import SqlFileSnapshots
from wisen.store.guards import SqlGuards
from wisen.store.moves import SqlMoves
from wisen.store.occurrences import SqlOccurrences
from wisen.store.ownerships import SqlOwnerships
from wisen.store.phrases import SqlPhrases
from wisen.store.program_records import SqlProgramRecords
from wisen.store.proposals import SqlProposals
from wisen.store.reinforcements import SqlReinforcements
from wisen.store.runs import SqlRuns
from wisen.store.trial_outcomes import SqlTrialOutcomes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.model.guard import LearnedRow
    from wisen.store.database_port import Database, Value
    from wisen.store.phrases import PhraseRow

Row: TypeAlias = (
    "LearnedRow | Record | Snapshot | Change | ChangeCheck | Run | Exposure | TrialOutcome | Reinforcement | Ownership"
    " | Alias | Context | PhraseRow"
)
TABLES: dict[type, str] = {
    Entry: "entries",
    Occurrence: "occurrences",
    Move: "moves",
    Proposal: "proposals",
    Guard: "guards",
    Change: "changes",
    ChangeCheck: "looks",
    Run: "runs",
    Exposure: "exposures",
    TrialOutcome: "outcomes",
    Reinforcement: "reinforcements",
    Ownership: "ownership",
    Snapshot: "snapshots",
    Alias: "aliases",
    Context: "contexts",
    Record: "records",
    PhraseProof: "phrase_proofs",
    UserPhrase: "phrases",
    PhraseSearch: "phrase_searches",
}
"""The table of each row type. A table comes after those that refer to it, so that deleting keeps references valid."""


class LedgerRemoval(Protocol):
    """How a ledger forgets. Rows never change: they are deleted whole, and all others stay verifiable."""

    def rows(self) -> Iterator[Row]:
        """Yield every row that may have to be forgotten, of all machines."""
        ...

    def seals(self) -> frozenset[str]:
        """Return a digest of each of these rows, which is far faster than reading them."""
        ...

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows in one transaction; returns how many existed."""
        ...

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        ...


class SqlLedgerRemoval:
    """Deletes rows from a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def rows(self) -> Iterator[Row]:
        """Yield every row that may have to be forgotten, of all machines."""
        db, changes, phrases, contexts = self._db, SqlChanges(self._db), SqlPhrases(self._db), SqlContexts(self._db)
        yield from SqlEntries(db).all()
        yield from SqlOccurrences(db).as_recorded()
        yield from SqlMoves(db).all(include_undone=True)
        yield from SqlProposals(db).all()
        yield from SqlGuards(db).all()
        yield from SqlProgramRecords(db).every()
        yield from SqlFileSnapshots(db).every()
        yield from changes.every()
        yield from changes.every_check()
        yield from SqlRuns(db).every()
        yield from SqlExposures(db).all()
        yield from SqlTrialOutcomes(db).all()
        yield from phrases.proofs()
        yield from phrases.all()
        yield from phrases.searches()
        yield from SqlReinforcements(db).all()
        yield from SqlOwnerships(db).all()
        yield from contexts.every_alias()
        yield from contexts.all()

    def seals(self) -> frozenset[str]:
        """Return a digest of each of these rows."""
        tables = " UNION ALL ".join(f"SELECT seal FROM {table}" for table in TABLES.values())  # noqa: S608 - constants
        return frozenset(str(seal) for (seal,) in self._db.run(tables))

    def remove(self, rows: Iterable[Row]) -> int:
        """Delete rows in one transaction; returns how many existed."""
        by_type: dict[type, list[Row]] = defaultdict(list)
        for row in rows:
            by_type[type(row)].append(row)
        deleted = 0
        with self._db.transaction():
            for type_, table in TABLES.items():
                # A resolution refers to its failure, so it is deleted first.
                for row in sorted(by_type[type_], key=lambda each: getattr(each, "failure", None) is None):
                    where, values = _identity(row)
                    statement = f"DELETE FROM {table} WHERE {where} RETURNING 1"  # noqa: S608 - constant names
                    deleted += len(self._db.run(statement, values))
        return deleted

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        self._db.scrub(sorted(TABLES.values()))


def _identity(row: Row) -> tuple[str, tuple[Value, ...]]:
    if isinstance(row, Snapshot):
        values = escape(row.path), escape(row.machine), microseconds(row.at), row.digest
        return "path = ? AND machine = ? AND at = ? AND digest = ?", values
    if isinstance(row, Alias):
        return "machine = ? AND path = ? AND context = ?", (escape(row.machine), escape(row.path), escape(row.context))
    if isinstance(row, Context):
        return "key = ?", (escape(row.key),)
    return "id = ?", (escape(row.id),)
