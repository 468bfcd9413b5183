"""Tells turns that the detector is not sure of, and what they say once somebody else has decided.

Only corrections and preferences are doubted: they are what rules are made of.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.domain.signals import SignalKind
from wisen.loop.detect.model import Model, Weights, detect, shipped

if TYPE_CHECKING:
    from collections.abc import Collection

    from wisen.domain.signals import Heard, Signal

DOUBTED = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
BAND = 0.15
"""How near to its threshold a probability is in doubt."""
LONGEST = 2000
"""Longer texts are not doubted: they are mostly not the user's own words. Nothing is ever sent in part."""


class _File(msgspec.Struct, frozen=True):
    kinds: dict[SignalKind, Weights]
    lasting: Weights


def is_doubtful(heard: Heard) -> bool:
    """Whether what speaks most for a correction or a preference lies near its threshold."""
    if not heard.text.strip() or len(heard.text) > LONGEST:
        return False
    told = shipped().probabilities(heard)
    return abs(max(told[kind] - _weights().kinds[kind].threshold for kind in DOUBTED)) <= BAND


def decided(heard: Heard, holds: Collection[SignalKind]) -> tuple[Signal, ...]:
    """What a turn says when it is known which of the doubted kinds hold; of the others the detector's word stands."""
    said = [signal for signal in detect(heard) if signal.kind not in DOUBTED]
    if holds:
        said += [
            msgspec.structs.replace(signal, probability=max(signal.probability, _threshold(signal.kind)))
            for signal in _eager().signals(heard)
            if signal.kind in holds and signal.kind in DOUBTED
        ]
    return tuple(sorted(said, key=lambda signal: -signal.probability))


def _threshold(kind: SignalKind) -> float:
    return _weights().kinds[kind].threshold


@cache
def _weights() -> _File:
    return msgspec.json.decode(resources.files(__package__).joinpath("weights.json").read_bytes(), type=_File)


@cache
def _eager() -> Model:
    """The shipped model with no threshold for what is doubted: it tells the signal of any turn."""
    file = _weights()
    kinds = {
        kind: msgspec.structs.replace(weights, threshold=0.0) if kind in DOUBTED else weights
        for kind, weights in file.kinds.items()
    }
    return Model(kinds, file.lasting)
