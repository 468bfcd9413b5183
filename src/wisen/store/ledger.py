"""The ledger: small, valuable data, with one port per noun; and its database implementation.

`sqlite_ledger.py` and `postgres_ledger.py` open it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from wisen.store.changes import CHANGES, CHECKS, SqlChanges
from wisen.store.contexts import ALIASES, CONTEXTS, SqlContexts
from wisen.store.entries import ENTRIES, SqlEntries
from wisen.store.exposures import EXPOSURES, SqlExposures
from wisen.store.file_snapshots import SNAPSHOTS, SqlFileSnapshots
from wisen.store.guards import GUARDS, SqlGuards
from wisen.store.ledger_removal import SqlLedgerRemoval
from wisen.store.migrate import MIGRATIONS
from wisen.store.model_uses import COOLDOWNS, MODEL_CALLS, SqlModelUses
from wisen.store.moves import MOVES, SqlMoves
from wisen.store.occurrences import OCCURRENCES, SqlOccurrences
from wisen.store.ownerships import OWNERSHIP, SqlOwnerships
from wisen.store.phrases import PHRASE_TABLES, SqlPhrases
from wisen.store.program_records import RECORDS, SqlProgramRecords
from wisen.store.proposals import PROPOSALS, SqlProposals
from wisen.store.reinforcements import REINFORCEMENTS, SqlReinforcements
from wisen.store.runs import RUNS, SqlRuns
from wisen.store.sealed_rows import read_rows
from wisen.store.tombstones import TOMBSTONE_TABLES, SqlTombstones
from wisen.store.trial_outcomes import OUTCOMES, SqlTrialOutcomes

if TYPE_CHECKING:
    from wisen.store.changes import Changes
    from wisen.store.contexts import Contexts
    from wisen.store.database_port import Database
    from wisen.store.entries import Entries
    from wisen.store.exposures import Exposures
    from wisen.store.file_snapshots import FileSnapshots
    from wisen.store.guards import Guards
    from wisen.store.ledger_removal import LedgerRemoval
    from wisen.store.model_uses import ModelUses
    from wisen.store.moves import Moves
    from wisen.store.occurrences import Occurrences
    from wisen.store.ownerships import Ownerships
    from wisen.store.phrases import Phrases
    from wisen.store.program_records import ProgramRecords
    from wisen.store.proposals import Proposals
    from wisen.store.reinforcements import Reinforcements
    from wisen.store.runs import Runs
    from wisen.store.tombstones import Tombstones
    from wisen.store.trial_outcomes import TrialOutcomes

TABLES = (
    MIGRATIONS, CONTEXTS, ALIASES, RUNS, RECORDS, SNAPSHOTS, CHANGES, CHECKS, ENTRIES, OCCURRENCES, MOVES, PROPOSALS,
    EXPOSURES, OUTCOMES, REINFORCEMENTS, GUARDS, MODEL_CALLS, COOLDOWNS, OWNERSHIP, *PHRASE_TABLES, *TOMBSTONE_TABLES,
)  # fmt: skip

_WITH_IDS = (ENTRIES, MOVES, PROPOSALS, CHANGES)
"""Their ids grow: a row that took the place of a deleted one has another."""
_MARKED = (*_WITH_IDS, OCCURRENCES, GUARDS, REINFORCEMENTS, CHECKS, CONTEXTS, ALIASES, OWNERSHIP, *TOMBSTONE_TABLES)


class LedgerStorage(Protocol):
    """The storage of a whole ledger."""

    def mark(self) -> str:
        """Return a text that differs after anything was learned or decided; runs and deliveries do not count."""
        ...

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        ...

    def close(self) -> None:
        """Close the store."""
        ...


@dataclass(kw_only=True)
class Ledger:
    """Small and valuable: decisions of people and what must never be lost. Writes return once they are on disk."""

    contexts: Contexts
    runs: Runs
    entries: Entries
    occurrences: Occurrences
    moves: Moves
    proposals: Proposals
    guards: Guards
    changes: Changes
    exposures: Exposures
    trial_outcomes: TrialOutcomes
    reinforcements: Reinforcements
    program_records: ProgramRecords
    file_snapshots: FileSnapshots
    phrases: Phrases
    ownerships: Ownerships
    model_uses: ModelUses
    tombstones: Tombstones
    removal: LedgerRemoval
    storage: LedgerStorage

    def mark(self) -> str:
        """Return a text that differs after anything was learned or decided; runs and deliveries do not count."""
        return self.storage.mark()

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        self.storage.check()

    def close(self) -> None:
        """Close the store."""
        self.storage.close()


class SqlLedger(Ledger):
    """A ledger in a database."""

    def __init__(self, db: Database) -> None:
        self.database = db
        super().__init__(
            contexts=SqlContexts(db),
            runs=SqlRuns(db),
            entries=SqlEntries(db),
            occurrences=SqlOccurrences(db),
            moves=SqlMoves(db),
            proposals=SqlProposals(db),
            guards=SqlGuards(db),
            changes=SqlChanges(db),
            exposures=SqlExposures(db),
            trial_outcomes=SqlTrialOutcomes(db),
            reinforcements=SqlReinforcements(db),
            program_records=SqlProgramRecords(db),
            file_snapshots=SqlFileSnapshots(db),
            phrases=SqlPhrases(db),
            ownerships=SqlOwnerships(db),
            model_uses=SqlModelUses(db),
            tombstones=SqlTombstones(db),
            removal=SqlLedgerRemoval(db),
            storage=_SealedTables(db),
        )


class _SealedTables:
    """The tables of a ledger in a database, in which every row has a seal."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def mark(self) -> str:
        """Return a text that differs after anything was learned or decided. Without seals."""
        counts = ", ".join(f"(SELECT count(*) FROM {table.name})" for table in _MARKED)  # noqa: S608 - constant names
        ids = ", ".join(f"(SELECT max(id) FROM {table.name})" for table in _WITH_IDS)  # noqa: S608 - constant names
        return " ".join(map(str, self._db.run(f"SELECT {counts}, {ids}")[0]))

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        self._db.check()
        for table in TABLES:
            for _ in read_rows(self._db, table):
                pass

    def close(self) -> None:
        """Close the store."""
        self._db.close()
