"""Observes what happened around each typed turn of a session: signs of how it was meant, whatever its words are."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback.detector import shipped_detector
from wisen.feedback.ngrams import content_words, ngrams_in, opening_ngrams
from wisen.feedback.turns import call_of, turns_of
from wisen.model.history import UserAction
from wisen.model.phrase import PHRASE_KINDS
from wisen.model.signal import PrecedingEvent, SignalKind, TypedTurn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from wisen.feedback.detector import DetectorModel
    from wisen.model.history import History, Turn

_RESTATED_SHARE, _RESTATED_WORDS = 0.7, 3
"""The minimum share and number of words that a turn has in common with an earlier one to count as restating it."""
_COMMITS = ("git commit", "git push", "gh pr create", "gh pr merge")
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit", "write")


class Sign(StrEnum):
    """Something that happened around a turn."""

    REFUSED = "refused"
    """The user had just rejected a call."""
    STOPPED = "stopped"
    """The user had just interrupted the agent."""
    UNDONE = "undone"
    CONCEDED = "conceded"
    RESTATED = "restated"
    """An earlier request was repeated."""
    COMMITTED = "committed"
    """Work that was done before the turn was committed after it."""
    THANKED = "thanked"
    """The next thing that the user typed was praise."""
    ENDED = "ended"
    """Work was done before it and none after it: the session ended."""


NEGATIVE_SIGNS = frozenset({Sign.REFUSED, Sign.STOPPED, Sign.UNDONE, Sign.CONCEDED, Sign.RESTATED})
POSITIVE_SIGNS = frozenset({Sign.COMMITTED, Sign.THANKED, Sign.ENDED})


class ObservedTurn(NamedTuple):
    """A typed turn with its possible phrases and what happened around it."""

    agent: str
    session: str
    """The agent's own id of the session."""
    number: int
    """The index's number of the session."""
    message: str
    at: datetime
    context: str
    text: str
    ngrams: frozenset[str]
    openings: frozenset[str]
    """The n-grams that begin a clause."""
    signs: frozenset[Sign]
    detected: bool
    """Whether its words alone are detected as a correction or as praise."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


def observe_turns(history: History, model: DetectorModel | None = None) -> Iterator[ObservedTurn]:
    """Every typed turn of a session in order, as the given detector (by default the shipped one) reads it."""
    model = model or shipped_detector()
    typed = [turn for turn in history.turns if turn.action is UserAction.SAID and turn.text]
    after = {one.id: two for one, two in pairwise(typed)}
    words_of: dict[str, frozenset[str]] = {}
    for turn, message in turns_of(history):
        yield ObservedTurn(
            history.agent,
            history.native,
            history.session,
            turn.id,
            turn.at,
            turn.context,
            message.text,
            ngrams_in(message.text),
            opening_ngrams(message.text),
            frozenset(_signs(history, turn, message, after.get(turn.id), words_of, model)),
            is_detected(message.text, model),
            turn.local,
        )


def is_detected(text: str, model: DetectorModel | None = None) -> bool:
    """Whether words are detected as a correction or as praise, wherever they appear."""
    return any(signal.kind in PHRASE_KINDS for signal in (model or shipped_detector()).signals(TypedTurn(text=text)))


def _signs(
    history: History,
    turn: Turn,
    message: TypedTurn,
    following: Turn | None,
    words_of: dict[str, frozenset[str]],
    model: DetectorModel,
) -> Iterator[Sign]:
    against = [*_signs_against(message, words_of)]
    yield from against
    calls = [call_of(step) for step in history.steps[turn.before : following.before if following else None]]
    worked = any(call.startswith(_EDITS) for call in message.calls)
    if against or not worked or "?" in message.text or "？" in message.text:
        return
    if any(commit in call for call in calls for commit in _COMMITS):
        yield Sign.COMMITTED
    if following is None and not calls:
        yield Sign.ENDED
    if following is not None and any(
        signal.kind is SignalKind.PRAISE for signal in model.signals(TypedTurn(text=following.text or ""))
    ):
        yield Sign.THANKED


def _signs_against(message: TypedTurn, words_of: dict[str, frozenset[str]]) -> Iterator[Sign]:
    if message.before is PrecedingEvent.REJECT:
        yield Sign.REFUSED
    if message.before is PrecedingEvent.INTERRUPT:
        yield Sign.STOPPED
    if message.undone:
        yield Sign.UNDONE
    if message.conceded:
        yield Sign.CONCEDED
    is_restated = message.later and message.earlier and _restates(message.later[0], message.earlier[0], words_of)
    if is_restated or any(_restates(message.text, each, words_of) for each in message.earlier):
        yield Sign.RESTATED


def _restates(text: str, earlier: str, words_of: dict[str, frozenset[str]]) -> bool:
    """Whether a turn asks for much the same as an earlier one; `words_of` is a cache."""
    one, two = (
        words_of[each] if each in words_of else words_of.setdefault(each, content_words(each))
        for each in (text, earlier)
    )
    shared = len(one & two)
    return shared >= _RESTATED_WORDS and shared >= _RESTATED_SHARE * min(len(one), len(two))
