"""A ledger in memory for tests."""

from __future__ import annotations

from wisen.store.ledger import Ledger
from wisen.testing import fake_ledger_ports as parts
from wisen.testing.fake_entries import MemoryEntries, MemoryGuards, MemoryMoves, MemoryOccurrences, MemoryProposals
from wisen.testing.fake_ledger_rows import LedgerRows
from wisen.testing.fake_models import MemoryModelUses


class MemoryLedger(Ledger):
    """A ledger that is kept in memory."""

    def __init__(self) -> None:
        rows = LedgerRows()
        super().__init__(
            contexts=parts.MemoryContexts(rows),
            runs=parts.MemoryRuns(rows),
            entries=MemoryEntries(rows),
            occurrences=MemoryOccurrences(rows),
            moves=MemoryMoves(rows),
            proposals=MemoryProposals(rows),
            guards=MemoryGuards(rows),
            changes=parts.MemoryChanges(rows),
            exposures=parts.MemoryExposures(rows),
            trial_outcomes=parts.MemoryTrialOutcomes(rows),
            reinforcements=parts.MemoryReinforcements(rows),
            program_records=parts.MemoryProgramRecords(rows),
            file_snapshots=parts.MemoryFileSnapshots(rows),
            phrases=parts.MemoryPhrases(rows),
            ownerships=parts.MemoryOwnerships(rows),
            model_uses=MemoryModelUses(),
            tombstones=parts.MemoryTombstones(rows),
            removal=parts.MemoryLedgerRemoval(rows),
            storage=_NoFile(rows),
        )


class _NoFile:
    """The storage of a ledger in memory, which cannot be damaged."""

    def __init__(self, rows: LedgerRows) -> None:
        self._rows = rows

    def mark(self) -> str:
        """Return a text that differs after anything was learned or decided."""
        return " ".join(str(len(rows)) for rows in vars(self._rows).values() if hasattr(rows, "__len__"))

    def check(self) -> None:
        """Do nothing: memory is never damaged."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
