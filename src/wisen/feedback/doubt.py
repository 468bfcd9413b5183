"""Tells turns that the detector is not sure of, what an answer about them is worth, and what they say once decided.

Only corrections and preferences are doubted: they are what rules are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wisen.feedback.detector import DetectorModel
    from wisen.model.signal import Heard, Signal

DOUBTED = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
BAND = 0.15
"""How near to its threshold a probability is in doubt."""
LEAST_WORTH = 0.35
"""Below that nobody is asked: of turns in projects that the detector does not know less than a fifth is above it."""
LONGEST = 2000
"""Longer texts are not doubted: they are mostly not the user's own words. Nothing is ever sent in part."""


def is_doubtful(heard: Heard, model: DetectorModel | None = None) -> bool:
    """Whether what speaks most for a correction or a preference lies near its threshold."""
    if not heard.text.strip() or len(heard.text) > LONGEST:
        return False
    margins = (model or _shipped()).margins(heard)
    return abs(max(margins[kind] for kind in DOUBTED)) <= BAND


class AnswerWorth(NamedTuple):
    """What answers are worth: finding what was missed, dropping what was heard wrongly, learning how long it holds."""

    missed: float
    false: float
    lasting: float

    def of(self, teaches: float, *, is_heard: bool, lasts: float) -> float:
        """How much an answer is expected to change: whether a turn teaches something, and whether that lasts.

        `teaches` is how likely it does, `is_heard` what is said of it now, `lasts` how likely it lasts if it does.
        """
        wrong = self.false * (1.0 - teaches) if is_heard else self.missed * teaches
        return wrong + self.lasting * teaches * min(lasts, 1.0 - lasts)


_MAY_TEACH = 0.25
"""How likely a turn teaches something of which only its words say that it may."""


WORTH = AnswerWorth(missed=1.4, false=0.6, lasting=0.6)
"""The weights that help most on real turns of projects that the detector did not know (docs/detection.md)."""


def is_worth_asking(heard: Heard, model: DetectorModel | None = None) -> bool:
    """Whether an answer about a turn is likely to change enough."""
    return _worth_of(heard, model or _shipped(), LEAST_WORTH) >= LEAST_WORTH


def doubts_by_worth(heards: Sequence[Heard], most: int, model: DetectorModel | None = None) -> list[int]:
    """Which turns somebody should be asked about first, at most so many: where an answer is likely to change most."""
    model = model or _shipped()
    worth = [_worth_of(heard, model) for heard in heards]
    by_worth = sorted(range(len(heards)), key=lambda number: (-worth[number], number))
    return [number for number in by_worth[:most] if worth[number] > 0.0]


def _worth_of(heard: Heard, model: DetectorModel, least: float = 0.0) -> float:
    """What an answer about a turn is worth; where it cannot reach `least`, roughly."""
    if not heard.text.strip() or len(heard.text) > LONGEST:
        return 0.0
    chances, margins = model.probabilities(heard), model.margins(heard)
    likeliest = max(DOUBTED, key=lambda kind: margins[kind])
    teaches, is_heard = chances[likeliest], margins[likeliest] >= 0.0
    if not is_heard and teaches < _MAY_TEACH:
        possible = model.directives.possible_directives_in(heard.text)
        teaches = _MAY_TEACH if any(each.doubtful for each in possible) else teaches
    at_most = WORTH.of(teaches, is_heard=is_heard, lasts=0.5)
    if at_most < least:
        return at_most
    lessons = [signal.lesson for signal in model.signals(heard, {likeliest}) if signal.lesson is not None]
    return WORTH.of(teaches, is_heard=is_heard, lasts=lessons[0].durable if lessons else 0.0)


def decided(heard: Heard, holds: Collection[SignalKind], model: DetectorModel | None = None) -> tuple[Signal, ...]:
    """What a turn says when it is known which of the doubted kinds hold; of the others the detector's word stands."""
    insisted = {kind for kind in holds if kind in DOUBTED}
    signals = (model or _shipped()).signals(heard, insisted)
    return tuple(signal for signal in signals if signal.kind in insisted or signal.kind not in DOUBTED)


def _shipped() -> DetectorModel:
    """The model that comes with the package; listings, which doubt nothing, do not load it."""
    from wisen.feedback.detector import shipped

    return shipped()
