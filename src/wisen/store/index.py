"""The index: large and derived data, with one port per noun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.errors import StoreDamaged
    from wisen.store.call_summaries import CallSummaries
    from wisen.store.events import Events
    from wisen.store.findings import Findings
    from wisen.store.fix_examples import FixExamples
    from wisen.store.fix_marks import FixMarks
    from wisen.store.folds import Folds
    from wisen.store.index_removal import IndexRemoval
    from wisen.store.memories import Memories
    from wisen.store.model_answers import ModelAnswers
    from wisen.store.recorded_calls import RecordedCalls
    from wisen.store.sessions import Sessions
    from wisen.store.workflow_runs import WorkflowRuns


class IndexStorage(Protocol):
    """The storage of a whole index."""

    @property
    def file(self) -> Path | None:
        """The file, which other processes can read too; None if it is not in one."""
        ...

    @property
    def stamp(self) -> str | None:
        """A text that is another one after anything was stored, by whichever process; None if that is not known."""
        ...

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        ...

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Start over with an empty index if the error is about this one; the damaged file is moved aside.

        Returns a message about it; None if something else is damaged. Raises: StoreError.
        """
        ...

    def close(self) -> None:
        """Close the file."""
        ...


@dataclass(kw_only=True)
class Index:
    """Large and derived: events, how far each source was read, findings, memories and totals."""

    events: Events
    recorded_calls: RecordedCalls
    findings: Findings
    calls: CallSummaries
    runs: WorkflowRuns
    fix_examples: FixExamples
    fix_marks: FixMarks
    removal: IndexRemoval
    memories: Memories
    model_answers: ModelAnswers
    sessions: Sessions
    folds: Folds
    storage: IndexStorage

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        self.storage.check()

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Start over with an empty index if the error is about this one; its parts stay usable.

        Returns a message about it; None if something else is damaged. Raises: StoreError.
        """
        return self.storage.rebuild(error)

    def close(self) -> None:
        """Close the file."""
        self.storage.close()
