"""The port of the user's own wording: what a ledger keeps of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

from wisen.model.phrase import OwnPhrase, Proof, Search

if TYPE_CHECKING:
    from collections.abc import Iterable

PhraseRow: TypeAlias = OwnPhrase | Proof | Search


class Phrasebook(Protocol):
    """The phrases of users, of each machine for itself: what one person means by a word says nothing of another's."""

    def note_phrases(self, rows: Iterable[PhraseRow]) -> None:
        """Remember phrases, what speaks for them, and that they were looked for: all of it or nothing.

        The same again changes nothing.
        """
        ...

    def phrases(self, machine: str | None = None) -> tuple[OwnPhrase, ...]:
        """Every word on a phrase of one machine, or of all, oldest first."""
        ...

    def proofs(self, machine: str | None = None) -> tuple[Proof, ...]:
        """The turns that speak for the phrases of one machine, or of all, oldest first."""
        ...

    def searches(self, machine: str | None = None) -> tuple[Search, ...]:
        """When phrases were looked for on one machine, or on all, oldest first."""
        ...
