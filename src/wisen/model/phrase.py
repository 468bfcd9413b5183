"""The user's personal phrases for feedback, each with its evidence."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - rows are read back by their types
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.backtest import confidence_bounds
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Iterable

PHRASE_KINDS = (SignalKind.CORRECTION, SignalKind.PRAISE)
"""What a phrase can mean."""
UNMEASURED_PROBABILITY = 0.5
"""The probability assumed for a phrase from a file, which was not measured."""


class PhraseSource(StrEnum):
    """How a phrase became known."""

    COUNTED = "counted"
    """From what happened around the turns that hold it."""
    MODEL = "model"
    """A model named it, and it occurs in what the user typed."""
    FILE = "file"
    """It was in a file of phrases."""
    REMOVED = "removed"
    """The user removed it: it does not come back by itself."""


class UserPhrase(Struct, frozen=True, kw_only=True):
    """A phrase of one user. Rows never change: the newest row about a phrase and a kind counts."""

    id: str
    machine: str
    at: datetime
    text: str
    """In lowercase, as the detector reads it."""
    kind: SignalKind
    way: PhraseSource
    hits: int = 0
    """In how many turns with the phrase the work then showed what it means."""
    turns: int = 0
    """How many turns hold it."""
    sessions: int = 0
    """In how many sessions that happened."""
    signs: int = 0
    """How many turns without the phrase showed the same."""
    others: int = 0
    """Out of how many."""

    @property
    def probability(self) -> float:
        """Return the lower bound of the probability that a turn with the phrase means it."""
        return confidence_bounds(self.hits, self.turns)[0] if self.turns else UNMEASURED_PROBABILITY


class PhraseProof(Struct, frozen=True, kw_only=True):
    """A turn that is evidence for a phrase."""

    id: str
    """Derived from the ids of the phrase and the turn."""
    phrase: str
    """The id of the phrase row that it belongs to."""
    machine: str
    agent: str
    session: str
    """The agent's own id of the session."""
    message: str
    at: datetime
    context: str
    quote: str
    signs: str
    """What happened around it, for a person: `conceded, undone`."""


class PhraseSearch(Struct, frozen=True, kw_only=True):
    """A search of turns for phrases: the first one covers more turns than later ones."""

    id: str
    machine: str
    at: datetime
    since: datetime
    way: PhraseSource
    turns: int
    """How many turns were searched."""
    found: int


class KnownPhrase(NamedTuple):
    """A phrase with the turns that are evidence for it, newest first."""

    phrase: UserPhrase
    proofs: tuple[PhraseProof, ...]


def active_phrases(rows: Iterable[UserPhrase]) -> tuple[UserPhrase, ...]:
    """Return the phrases in force, sorted by text: the newest row of each phrase and kind, without removed ones."""
    return tuple(each for each in _newest(rows) if each.way is not PhraseSource.REMOVED)


def removed_phrases(rows: Iterable[UserPhrase]) -> frozenset[tuple[str, SignalKind]]:
    """Return the phrases that the user removed."""
    return frozenset((each.text, each.kind) for each in _newest(rows) if each.way is PhraseSource.REMOVED)


def _newest(rows: Iterable[UserPhrase]) -> list[UserPhrase]:
    newest = {(each.text, each.kind): each for each in sorted(rows, key=lambda each: each.id)}
    return [newest[key] for key in sorted(newest)]
