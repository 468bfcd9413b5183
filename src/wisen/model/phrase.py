"""The user's own wording of feedback: phrases that only he uses so, each with what speaks for it."""

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
"""What a phrase can stand for."""
UNMEASURED_PROBABILITY = 0.5
"""How likely it is that a turn means what a phrase of a file stands for: nobody counted."""


class PhraseSource(StrEnum):
    """How a phrase came to be known."""

    COUNTED = "counted"
    """By what happened around the turns that hold it."""
    MODEL = "model"
    """A model named it, and it stands in what the user typed."""
    FILE = "file"
    """It stood in a file of phrases."""
    REMOVED = "removed"
    """The user took it out: it does not come back by itself."""


class UserPhrase(Struct, frozen=True, kw_only=True):
    """A phrase of one user. Rows never change: the newest about a phrase and a kind says what holds."""

    id: str
    machine: str
    at: datetime
    text: str
    """In small letters, as the detector reads it."""
    kind: SignalKind
    way: PhraseSource
    hits: int = 0
    """In how many turns with the phrase the work then showed what it stands for."""
    turns: int = 0
    """How many turns hold it."""
    sessions: int = 0
    """In how many sessions it was followed by that."""
    signs: int = 0
    """How many turns without the phrase showed the same."""
    others: int = 0
    """Of how many."""

    @property
    def probability(self) -> float:
        """How likely it is, at least, that a turn with the phrase means what it stands for."""
        return confidence_bounds(self.hits, self.turns)[0] if self.turns else UNMEASURED_PROBABILITY


class PhraseProof(Struct, frozen=True, kw_only=True):
    """A turn that speaks for a phrase."""

    id: str
    """Made of the phrase's and the turn's."""
    phrase: str
    """The id of the row that it belongs to."""
    machine: str
    agent: str
    session: str
    """The agent's own id of it."""
    message: str
    at: datetime
    context: str
    quote: str
    signs: str
    """What happened around it, for a person: `conceded, undone`."""


class PhraseSearch(Struct, frozen=True, kw_only=True):
    """That turns were looked through for phrases: the first time more of them are than later."""

    id: str
    machine: str
    at: datetime
    since: datetime
    way: PhraseSource
    turns: int
    """How many were looked at."""
    found: int


class KnownPhrase(NamedTuple):
    """A phrase with the turns that speak for it, newest first."""

    phrase: UserPhrase
    proofs: tuple[PhraseProof, ...]


def active_phrases(rows: Iterable[UserPhrase]) -> tuple[UserPhrase, ...]:
    """What holds, by text: of each phrase and kind the newest word, without what was taken out."""
    return tuple(each for each in _newest(rows) if each.way is not PhraseSource.REMOVED)


def removed_phrases(rows: Iterable[UserPhrase]) -> frozenset[tuple[str, SignalKind]]:
    """What the user took out."""
    return frozenset((each.text, each.kind) for each in _newest(rows) if each.way is PhraseSource.REMOVED)


def _newest(rows: Iterable[UserPhrase]) -> list[UserPhrase]:
    newest = {(each.text, each.kind): each for each in sorted(rows, key=lambda each: each.id)}
    return [newest[key] for key in sorted(newest)]
