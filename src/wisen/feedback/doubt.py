"""Tells turns that the detector is not sure of, and what they say once somebody else has decided.

Only corrections and preferences are doubted: they are what rules are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.feedback.detector import shipped
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.feedback.detector import DetectorModel
    from wisen.model.signal import Heard, Signal

DOUBTED = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
BAND = 0.15
"""How near to its threshold a probability is in doubt."""
LONGEST = 2000
"""Longer texts are not doubted: they are mostly not the user's own words. Nothing is ever sent in part."""


def is_doubtful(heard: Heard, model: DetectorModel | None = None) -> bool:
    """Whether what speaks most for a correction or a preference lies near its threshold."""
    if not heard.text.strip() or len(heard.text) > LONGEST:
        return False
    margins = (model or shipped()).margins(heard)
    return abs(max(margins[kind] for kind in DOUBTED)) <= BAND


def decided(heard: Heard, holds: Collection[SignalKind], model: DetectorModel | None = None) -> tuple[Signal, ...]:
    """What a turn says when it is known which of the doubted kinds hold; of the others the detector's word stands."""
    insisted = {kind for kind in holds if kind in DOUBTED}
    signals = (model or shipped()).signals(heard, insisted)
    return tuple(signal for signal in signals if signal.kind in insisted or signal.kind not in DOUBTED)
