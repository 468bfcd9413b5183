"""Weighs what a turn shows into probabilities, one for each kind of signal. The weights are data: weights.json."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.domain.signals import Lesson, Polarity, Signal, SignalKind
from wisen.loop.detect import lessons
from wisen.loop.detect.features import Table, glance
from wisen.loop.detect.lanes import Rows, lane, marks, side_by_side, surplus
from wisen.loop.detect.lasting import OF_TURN, of_lesson
from wisen.loop.detect.phrases import english

if TYPE_CHECKING:
    from wisen.domain.signals import Heard
    from wisen.loop.detect.features import Seen


DETECTOR = 3
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
    """The linear models of all kinds, arranged by feature: one lane each, and behind them what lasts."""

    def __init__(self, kinds: dict[SignalKind, Weights], lasting: Weights) -> None:
        of = [kinds[kind] for kind in SignalKind]
        self._kinds = tuple(SignalKind)
        self._marks = marks(len(of))
        self._any_mark = sum(self._marks)
        self._thresholds = tuple(each.threshold for each in of)
        # A lower score does not reach the threshold, however it is rounded.
        self._above_least = surplus([_score(each.threshold) - 0.001 for each in of])
        self._lasting = lasting
        of_turn = {name: lasting.weights[named] for name, named in OF_TURN.items() if named in lasting.weights}
        self._bias = side_by_side([*(each.bias for each in of), lasting.bias])
        self._table = Table(Rows([*(each.weights for each in of), of_turn]))
        groups = english().groups_of
        self._speaks = [
            [sum(each.weights.get(name, 0.0) for name in (f"= {phrase}", *groups.get(phrase, ()))) for each in of]
            for phrase in english().numbered
        ]

    def probabilities(self, heard: Heard) -> dict[SignalKind, float]:
        """How likely each kind holds."""
        total = self._bias + glance(heard, self._table).total
        return {kind: _logistic(lane(total, number)) for number, kind in enumerate(self._kinds)}

    def signals(self, heard: Heard) -> tuple[Signal, ...]:
        """The kinds that hold, the likeliest first, each with where its evidence stands."""
        if not heard.text or heard.text.isspace():
            return ()
        seen = glance(heard, self._table)
        total = self._bias + seen.total
        reached = (total + self._above_least) & self._any_mark
        if not reached:
            return ()
        held = [
            (-probability, number)
            for number, mark in enumerate(self._marks)
            if reached & mark and (probability := _logistic(lane(total, number))) >= self._thresholds[number]
        ]
        held.sort()
        teaches = any(self._kinds[number] in _TEACHES for _, number in held)
        lesson = self._lesson(heard, lane(total, len(self._kinds))) if teaches else None
        return tuple([self._signal(heard.text, seen, number, -less, lesson) for less, number in held])

    def _lesson(self, heard: Heard, score: float) -> Lesson | None:
        """The lesson of a turn; `score` is what the turn tells of how long it lasts."""
        text = lessons.lesson(heard.text)
        if not text:
            return None
        groups = lessons.groups_in(text)
        weights = self._lasting.weights
        for name, value in of_lesson(heard, text, groups).items():
            if name in weights:
                score += weights[name] * value
        durable = _logistic(score)
        return Lesson(
            text=text,
            forbids=lessons.forbids(text),
            durable=durable,
            is_durable=durable >= self._lasting.threshold,
            about=lessons.about(text, groups),
        )

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
        best, where = 0.0, None
        for match in seen.found:
            speaks = self._speaks[match[0]][number]
            if speaks > best:
                best, where = speaks, match
        if where is None:
            return len(text) - len(text.lstrip()), len(text.rstrip())
        return english().place(where)


def detect(heard: Heard) -> tuple[Signal, ...]:
    """What a typed turn says about the work, the likeliest first."""
    return shipped().signals(heard)


@cache
def shipped() -> Model:
    """The model that comes with the package."""
    read = resources.files(__package__).joinpath("weights.json").read_bytes()
    file = msgspec.json.decode(read, type=_File)
    return Model(file.kinds, file.lasting)


def _score(probability: float) -> float:
    """What makes a probability; for 0 and 1, which no score makes, what comes near."""
    within = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(within / (1 - within))


def _logistic(value: float) -> float:
    if value < 0:
        grown = math.exp(max(value, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + math.exp(-min(value, 700.0)))
