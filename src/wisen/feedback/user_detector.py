"""Detects the user's own phrases in a turn in addition to what the detector finds: it only ever adds signals."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.feedback import text_normalization
from wisen.feedback.detector import shipped_detector
from wisen.feedback.ngrams import MAX_READ, is_unspaced
from wisen.feedback.text_normalization import fold, mask
from wisen.model.signal import Polarity, PrecedingEvent, Signal, SignalKind, TypedTurn
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.feedback.detector import DetectorModel
    from wisen.model.phrase import UserPhrase
    from wisen.model.signal import Lesson

_POLARITIES = {SignalKind.CORRECTION: Polarity.AGAINST, SignalKind.PRAISE: Polarity.FOR}
_SPACE = lazy_regex(r"\s")
_INNER_MARKS = "-/.'"
"""Marks that are part of a word if letters follow."""


class UserDetector:
    """The detector for one user: it knows their phrases and the languages that they added."""

    def __init__(
        self, phrases: Iterable[UserPhrase] = (), model: Callable[[], DetectorModel] = shipped_detector
    ) -> None:
        """`model` returns the detector model; it is called at the first turn."""
        # The likeliest first: it wins where several of a kind are in a turn.
        self._phrases = sorted(phrases, key=lambda each: (-each.probability, each.text))
        self._model = model

    @property
    def model(self) -> DetectorModel:
        """The detector model for all languages that the user writes in."""
        return self._model()

    def detect(self, message: TypedTurn) -> tuple[Signal, ...]:
        """The signals of a turn, including those of the user's own phrases."""
        return self.add_phrase_signals(message, self.model.signals(message))

    def add_phrase_signals(self, message: TypedTurn, signals: tuple[Signal, ...]) -> tuple[Signal, ...]:
        """The detected signals, followed by those that only the user's own phrases reveal."""
        if not self._phrases:
            return signals
        read = text_normalization.fold_with_places(mask(message.text[:MAX_READ]))
        text = _SPACE.sub(" ", read.text)
        kinds, added = {signal.kind for signal in signals}, list[Signal]()
        for phrase in self._phrases:
            if phrase.kind not in kinds and (place := find_phrase(phrase.text, text)) is not None:
                kinds.add(phrase.kind)
                end = place + len(phrase.text)
                added.append(_signal(phrase, message, read.place(place), read.place(end), self.model))
        return (*signals, *added)


def fold_turn(text: str) -> str:
    """A turn folded for phrase search: without quotes and code."""
    return _SPACE.sub(" ", fold(mask(text[:MAX_READ])))


def find_phrase(phrase: str, text: str) -> int | None:
    """The position of a phrase in a folded text, in whole words; None where it is absent."""
    start = text.find(phrase)
    while start >= 0:
        if not _is_inside_word(text, start) and not _is_inside_word(text, start + len(phrase)):
            return start
        start = text.find(phrase, start + 1)
    return None


def _is_inside_word(text: str, place: int) -> bool:
    """Whether a position is within a word."""
    if not 0 < place < len(text):
        return False
    left, right = text[place - 1], text[place]
    if _is_mark(right):
        return True
    if is_unspaced(left) or is_unspaced(right):
        return False
    if right in _INNER_MARKS and place + 1 < len(text):
        right = text[place + 1]
    elif left in _INNER_MARKS and place > 1:
        left = text[place - 2]
    if is_unspaced(left) or is_unspaced(right):
        return False
    return _is_letter(left) and _is_letter(right)


def _is_letter(character: str) -> bool:
    return character.isalnum() or character == "_" or _is_mark(character)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _signal(phrase: UserPhrase, message: TypedTurn, place: int, end: int, model: DetectorModel) -> Signal:
    return Signal(
        kind=phrase.kind,
        probability=phrase.probability,
        start=place,
        end=end,
        polarity=_POLARITIES[phrase.kind],
        lesson=_lesson(message, model) if phrase.kind is SignalKind.CORRECTION else None,
    )


def _lesson(message: TypedTurn, model: DetectorModel) -> Lesson | None:
    """The lesson of a correction: what the detector would extract if it were typed when rejecting a call."""
    refused = structs.replace(message, before=PrecedingEvent.REJECT, reason=True, later=(), undone=True, conceded=True)
    return next((each.lesson for each in model.signals(refused) if each.kind is SignalKind.CORRECTION), None)
