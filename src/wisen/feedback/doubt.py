"""Finds turns that the detector is unsure of, estimates what an answer is worth, and applies the answer.

Only corrections and preferences are doubted: rules are made of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wisen.feedback.detector import DetectorModel
    from wisen.model.signal import Signal, TypedTurn

DOUBTED_KINDS = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
BAND = 0.15
"""How close to its threshold a probability is in doubt."""
MIN_WORTH = 0.35
"""Nobody is asked below this: in projects unknown to the detector less than a fifth of the turns is above it."""
MAX_LENGTH = 2000
"""Longer texts are not doubted: they are mostly not the user's own words. Nothing is ever sent in part."""


def is_doubtful(message: TypedTurn, model: DetectorModel | None = None) -> bool:
    """Whether the strongest evidence for a correction or a preference is close to its threshold."""
    if not message.text.strip() or len(message.text) > MAX_LENGTH:
        return False
    margins = (model or _shipped_detector()).margins(message)
    return abs(max(margins[kind] for kind in DOUBTED_KINDS)) <= BAND


class AnswerWorth(NamedTuple):
    """The worth of an answer: finding a missed signal, dropping a false one, learning how long it holds."""

    missed: float
    false: float
    lasting: float

    def expected(self, teaches: float, *, is_detected: bool, lasts: float) -> float:
        """How much an answer is expected to change: whether a turn teaches something, and whether that lasts.

        `teaches` is the probability that it does, `is_detected` the detector's current result, `lasts` the probability
        that it lasts if it does.
        """
        wrong = self.false * (1.0 - teaches) if is_detected else self.missed * teaches
        return wrong + self.lasting * teaches * min(lasts, 1.0 - lasts)


_POSSIBLE_DIRECTIVE = 0.25
"""The probability that a turn teaches something where only its wording suggests it."""


WORTH = AnswerWorth(missed=1.4, false=0.6, lasting=0.6)
"""The weights that help most on real turns of projects that the detector did not know (docs/detection.md)."""


def is_worth_asking(message: TypedTurn, model: DetectorModel | None = None) -> bool:
    """Whether an answer about a turn is likely to change enough."""
    return _worth_of(message, model or _shipped_detector(), MIN_WORTH) >= MIN_WORTH


def doubts_by_worth(messages: Sequence[TypedTurn], limit: int, model: DetectorModel | None = None) -> list[int]:
    """The numbers of the turns to ask about first, at most `limit`: where an answer is likely to change most."""
    model = model or _shipped_detector()
    worth = [_worth_of(message, model) for message in messages]
    by_worth = sorted(range(len(messages)), key=lambda number: (-worth[number], number))
    return [number for number in by_worth[:limit] if worth[number] > 0.0]


def _worth_of(message: TypedTurn, model: DetectorModel, least: float = 0.0) -> float:
    """The worth of an answer about a turn; only an upper bound where it cannot reach `least`."""
    if not message.text.strip() or len(message.text) > MAX_LENGTH:
        return 0.0
    chances, margins = model.probabilities(message), model.margins(message)
    likeliest = max(DOUBTED_KINDS, key=lambda kind: margins[kind])
    teaches, is_detected = chances[likeliest], margins[likeliest] >= 0.0
    if not is_detected and teaches < _POSSIBLE_DIRECTIVE:
        possible = model.directives.possible_directives_in(message.text)
        teaches = _POSSIBLE_DIRECTIVE if any(each.doubtful for each in possible) else teaches
    at_most = WORTH.expected(teaches, is_detected=is_detected, lasts=0.5)
    if at_most < least:
        return at_most
    lessons = [signal.lesson for signal in model.signals(message, {likeliest}) if signal.lesson is not None]
    return WORTH.expected(teaches, is_detected=is_detected, lasts=lessons[0].durable if lessons else 0.0)


def signals_of_kinds(
    message: TypedTurn, kinds: Collection[SignalKind], model: DetectorModel | None = None
) -> tuple[Signal, ...]:
    """The signals of a turn when it is known which doubted kinds hold; other kinds stay as detected."""
    forced = {kind for kind in kinds if kind in DOUBTED_KINDS}
    signals = (model or _shipped_detector()).signals(message, forced)
    return tuple(signal for signal in signals if signal.kind in forced or signal.kind not in DOUBTED_KINDS)


def _shipped_detector() -> DetectorModel:
    """The shipped detector, loaded lazily: listings, which doubt nothing, do not need it."""
    from wisen.feedback.detector import shipped_detector

    return shipped_detector()
