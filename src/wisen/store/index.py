"""The index: large and derived, with one port for each noun."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wisen.errors import StoreDamaged
    from wisen.store.events import Events
    from wisen.store.findings import Findings
    from wisen.store.index_removal import IndexRemoval
    from wisen.store.memories import Memories
    from wisen.store.model_answers import ModelAnswers


class IndexStorage(Protocol):
    """Where all of an index lies."""

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        ...

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Begin anew where the error says that this index is damaged, and what was there is kept beside.

        Returns what there is to tell of it; None where something else is damaged. Raises: StoreError.
        """
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


@dataclass(kw_only=True)
class Index:
    """Large and derived: events, how far each source was read, what was found in them, and what can be found again."""

    events: Events
    findings: Findings
    removal: IndexRemoval
    memories: Memories
    model_answers: ModelAnswers
    storage: IndexStorage

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        self.storage.check()

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Begin anew where the error says that this index is damaged; its parts go on to be used.

        Returns what there is to tell of it; None where something else is damaged. Raises: StoreError.
        """
        return self.storage.rebuild(error)

    def close(self) -> None:
        """Let go of the file."""
        self.storage.close()
