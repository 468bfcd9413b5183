"""Weighs what a turn shows into probabilities, one for each kind of signal. The weights are data: weights.json."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.domain.signals import Lesson, Polarity, Signal, SignalKind
from wisen.loop.detect import lessons
from wisen.loop.detect.features import look
from wisen.loop.detect.lasting import lasting
from wisen.loop.detect.phrases import english

if TYPE_CHECKING:
    from wisen.domain.signals import Heard
    from wisen.loop.detect.features import Seen


DETECTOR = 2
"""The version of the detector: what another one heard is heard again."""
_TEACHES = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
_POLARITIES = {SignalKind.CORRECTION: Polarity.AGAINST, SignalKind.PRAISE: Polarity.FOR}


class Weights(msgspec.Struct, frozen=True):
    """The linear model of one kind."""

    bias: float
    threshold: float
    """From which probability on the kind is said to hold."""
    weights: dict[str, float]


class _File(msgspec.Struct, frozen=True):
    kinds: dict[SignalKind, Weights]
    lasting: Weights


class Model:
    """The linear models of all kinds, arranged by feature."""

    def __init__(self, kinds: dict[SignalKind, Weights], lasting: Weights) -> None:
        self._kinds = tuple(kinds)
        self._biases = tuple(each.bias for each in kinds.values())
        self._thresholds = tuple(each.threshold for each in kinds.values())
        self._lasting = lasting
        features = {feature for each in kinds.values() for feature in each.weights}
        self._rows = {name: tuple(each.weights.get(name, 0.0) for each in kinds.values()) for name in features}
        self._speaks = {
            phrase: tuple(map(sum, zip(*(self._row(name) for name in (f"= {phrase}", *groups)), strict=True)))
            for phrase, groups in english().groups_of.items()
        }

    def probabilities(self, heard: Heard) -> dict[SignalKind, float]:
        """How likely each kind holds."""
        return dict(zip(self._kinds, self._weigh(look(heard)), strict=True))

    def signals(self, heard: Heard) -> tuple[Signal, ...]:
        """The kinds that hold, the likeliest first, each with where its evidence stands."""
        if not heard.text.strip():
            return ()
        seen = look(heard)
        held = [
            (-probability, number)
            for number, probability in enumerate(self._weigh(seen))
            if probability >= self._thresholds[number]
        ]
        held.sort()
        lesson = self._lesson(heard, seen) if any(self._kinds[number] in _TEACHES for _, number in held) else None
        return tuple([self._signal(heard.text, seen, number, -less, lesson) for less, number in held])

    def _lesson(self, heard: Heard, seen: Seen) -> Lesson | None:
        text = lessons.lesson(heard.text)
        if not text:
            return None
        groups = lessons.groups_in(text)
        told, weights = lasting(heard, text, groups, seen.values), self._lasting.weights
        durable = _logistic(self._lasting.bias + sum(weights.get(name, 0.0) * value for name, value in told.items()))
        return Lesson(
            text=text,
            forbids=lessons.forbids(text),
            durable=durable,
            is_durable=durable >= self._lasting.threshold,
            about=lessons.about(text, groups),
        )

    def _row(self, feature: str) -> tuple[float, ...]:
        return self._rows.get(feature) or (0.0,) * len(self._kinds)

    def _weigh(self, seen: Seen) -> list[float]:
        known = self._rows
        rows = [self._biases]
        for feature, value in seen.values.items():
            row = known.get(feature)
            if row is not None:
                rows.append(row if value == 1.0 else tuple([value * weight for weight in row]))
        return [_logistic(sum(column)) for column in zip(*rows, strict=True)]

    def _signal(self, text: str, seen: Seen, number: int, probability: float, lesson: Lesson | None) -> Signal:
        start, end = self._evidence(text, seen, number)
        kind = self._kinds[number]
        if kind not in _TEACHES:
            lesson = None
        polarity = _POLARITIES.get(kind, Polarity.NEITHER)
        if kind is SignalKind.PREFERENCE and lesson is not None:
            polarity = Polarity.AGAINST if lesson.forbids else Polarity.FOR
        return Signal(kind=kind, probability=probability, start=start, end=end, polarity=polarity, lesson=lesson)

    def _evidence(self, text: str, seen: Seen, number: int) -> tuple[int, int]:
        """The phrase that speaks most for a kind; the whole text when none does."""
        best, where = 0.0, (len(text) - len(text.lstrip()), len(text.rstrip()))
        for start, end, phrase in seen.found:
            speaks = self._speaks[phrase][number]
            if speaks > best:
                best, where = speaks, (start, end)
        return where


def detect(heard: Heard) -> tuple[Signal, ...]:
    """What a typed turn says about the work, the likeliest first."""
    return shipped().signals(heard)


@cache
def shipped() -> Model:
    """The model that comes with the package."""
    read = resources.files(__package__).joinpath("weights.json").read_bytes()
    file = msgspec.json.decode(read, type=_File)
    return Model(file.kinds, file.lasting)


def _logistic(value: float) -> float:
    if value < 0:
        grown = math.exp(max(value, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + math.exp(-min(value, 700.0)))
