"""Adds the weights of several models at once: numbers packed into one integer, each in a lane of its own.

Adding two such integers adds all their lanes in the time of one addition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_WIDTH = 64
_ONE = 1 << 50
"""Stands for 1.0: rounding to it loses less than floats lose. A lane holds up to 8,192."""
GRADED = ("edited", "calls")
"""The features that may have values other than 1.0."""
_HALF = 1 << (_WIDTH - 1)
_LANE = (1 << _WIDTH) - 1


def pack(numbers: Iterable[float]) -> int:
    """The numbers in lanes, the first one lowest."""
    return sum(round(number * _ONE) << (_WIDTH * place) for place, number in enumerate(numbers))


def unpack_lane(total: int, place: int) -> float:
    """The number in one lane; corrects what negative lanes below have borrowed from it."""
    given = total + (_HALF << (_WIDTH * place)) + ((1 << (_WIDTH * place)) >> 1)
    return ((given >> (_WIDTH * place) & _LANE) - _HALF) / _ONE


def threshold_offsets(least: Iterable[float]) -> int:
    """The number to add so that each lane that reaches its threshold has its mark set."""
    return sum((_HALF - round(number * _ONE)) << (_WIDTH * place) for place, number in enumerate(least))


def lane_marks(lanes: int) -> tuple[int, ...]:
    """The mark bit of each lane."""
    return tuple(_HALF << (_WIDTH * place) for place in range(lanes))


class WeightRows(dict[str, int]):
    """The weights of each feature in all models, packed; 0 for an unknown feature."""

    def __init__(self, models: Sequence[Mapping[str, float]]) -> None:
        super().__init__()
        for place, weights in enumerate(models):
            lane = _WIDTH * place
            for name, number in weights.items():
                self[name] = self.get(name, 0) + (round(number * _ONE) << lane)
        self._extras = _GradedExtras(models)

    def weigh(self, values: Mapping[str, float]) -> int:
        """What features add."""
        total = sum(map(self.__getitem__, values))
        for name in GRADED:
            if name in values:
                total += self._extras[name, values[name]]
        return total

    def __missing__(self, name: str) -> int:
        return self.setdefault(name, 0)


class _GradedExtras(dict[tuple[str, float], int]):
    """What a feature adds to its weights when its value is not 1.0; computed once for each of the few values."""

    def __init__(self, models: Sequence[Mapping[str, float]]) -> None:
        super().__init__()
        self._models = models

    def __missing__(self, key: tuple[str, float]) -> int:
        name, value = key
        return self.setdefault(key, pack([weights.get(name, 0.0) * (value - 1.0) for weights in self._models]))
