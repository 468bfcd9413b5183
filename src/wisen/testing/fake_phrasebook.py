"""The user's own wording in memory, for tests of what stands on the port."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.phrase import OwnPhrase, Proof, Search

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.phrases_port import PhraseRow


class MemoryPhrasebook:
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        super().__init__()
        self._phrases: dict[str, OwnPhrase] = {}
        self._proofs: dict[str, Proof] = {}
        self._searches: dict[str, Search] = {}

    def note_phrases(self, rows: Iterable[PhraseRow]) -> None:
        """Remember phrases, what speaks for them, and that they were looked for."""
        for row in tuple(rows):
            if isinstance(row, OwnPhrase):
                self._phrases.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))
            elif isinstance(row, Proof):
                self._proofs.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))
            else:
                moments = {"at": row.at.astimezone(UTC), "since": row.since.astimezone(UTC)}
                self._searches.setdefault(row.id, structs.replace(row, **moments))

    def phrases(self, machine: str | None = None) -> tuple[OwnPhrase, ...]:
        """Every word on a phrase of one machine, or of all, oldest first."""
        return tuple(each for _, each in sorted(self._phrases.items()) if machine in (None, each.machine))

    def proofs(self, machine: str | None = None) -> tuple[Proof, ...]:
        """The turns that speak for the phrases of one machine, or of all, oldest first."""
        found = (each for each in self._proofs.values() if machine in (None, each.machine))
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))

    def searches(self, machine: str | None = None) -> tuple[Search, ...]:
        """When phrases were looked for on one machine, or on all, oldest first."""
        return tuple(each for _, each in sorted(self._searches.items()) if machine in (None, each.machine))
