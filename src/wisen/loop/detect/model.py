"""Weighs what a turn shows into probabilities, one for each kind of signal. The weights are data: weights.json."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from operator import lt
from typing import TYPE_CHECKING

import msgspec

from wisen.domain.signals import Lesson, Polarity, Signal, SignalKind
from wisen.loop.detect import lessons
from wisen.loop.detect.compare import COMPARED, compare
from wisen.loop.detect.features import glance, look
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
        of = [kinds[kind] for kind in SignalKind]
        self._kinds = tuple(SignalKind)
        self._biases = tuple(each.bias for each in of)
        self._thresholds = tuple(each.threshold for each in of)
        # A lower score does not reach the threshold, however it is rounded; nor does one below what comparing may add.
        self._least = tuple(_score(each.threshold) - 0.001 for each in of)
        self._hopeless = tuple(
            least - sum(max(0.0, each.weights.get(name, 0.0)) for name in COMPARED)
            for least, each in zip(self._least, of, strict=True)
        )
        self._lasting = lasting
        features = {feature for each in of for feature in each.weights}
        self._rows = {name: tuple(each.weights.get(name, 0.0) for each in of) for name in features}
        self._speaks = {
            phrase: tuple(map(sum, zip(*(self._row(name) for name in (f"= {phrase}", *groups)), strict=True)))
            for phrase, groups in english().groups_of.items()
        }

    def probabilities(self, heard: Heard) -> dict[SignalKind, float]:
        """How likely each kind holds."""
        scores = self._weigh(look(heard).values, self._biases)
        return dict(zip(self._kinds, map(_logistic, scores), strict=True))

    def signals(self, heard: Heard) -> tuple[Signal, ...]:
        """The kinds that hold, the likeliest first, each with where its evidence stands."""
        if not heard.text or heard.text.isspace():
            return ()
        seen = glance(heard)
        scores = self._weigh(seen.values, self._biases)
        if all(map(lt, scores, self._hopeless)):
            return ()
        compared = compare(heard, seen.folded)
        seen.values.update(compared)
        held = [
            (-probability, number)
            for number, score in enumerate(self._weigh(compared, scores))
            if score >= self._least[number] and (probability := _logistic(score)) >= self._thresholds[number]
        ]
        held.sort()
        lesson = self._lesson(heard, seen) if any(self._kinds[number] in _TEACHES for _, number in held) else None
        return tuple([self._signal(heard.text, seen, number, -less, lesson) for less, number in held])

    def _lesson(self, heard: Heard, seen: Seen) -> Lesson | None:
        text = lessons.lesson(heard.text)
        if not text:
            return None
        groups = lessons.groups_in(text)
        score, weights = self._lasting.bias, self._lasting.weights
        for name, value in lasting(heard, text, groups, seen.values).items():
            score += weights.get(name, 0.0) * value
        durable = _logistic(score)
        return Lesson(
            text=text,
            forbids=lessons.forbids(text),
            durable=durable,
            is_durable=durable >= self._lasting.threshold,
            about=lessons.about(text, groups),
        )

    def _row(self, feature: str) -> tuple[float, ...]:
        return self._rows.get(feature) or (0.0,) * len(self._kinds)

    def _weigh(self, values: dict[str, float], scores: tuple[float, ...]) -> tuple[float, ...]:
        """The scores with what features add to them. With a name for each kind: adding columns takes twice as long."""
        rows = self._rows
        correction, praise, preference, request, gap, remember = scores
        for feature, value in values.items():
            if feature in rows:
                of_correction, of_praise, of_preference, of_request, of_gap, of_remember = rows[feature]
                correction += of_correction * value
                praise += of_praise * value
                preference += of_preference * value
                request += of_request * value
                gap += of_gap * value
                remember += of_remember * value
        return correction, praise, preference, request, gap, remember

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
        for start, end, phrase in seen.found:
            speaks = self._speaks[phrase][number]
            if speaks > best:
                best, where = speaks, (start, end)
        return where or (len(text) - len(text.lstrip()), len(text.rstrip()))


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
