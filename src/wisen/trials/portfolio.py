"""What all hints together do: sessions in which all are off by the coin, against the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wisen.model.exposure import Arm
from wisen.model.trial import Portfolio, TrialRow
from wisen.trials.evidence import RankWager

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COUNTED = ("failures", "corrections")
"""What is added up to the troubles of a session."""
_WIDTH = 1.959964
_FEWEST = 5
"""Sessions on each side before an interval is told."""


def together(rows: Iterable[TrialRow], counted: Sequence[str] = COUNTED) -> Portfolio:
    """What sessions with all hints and with none say, given in the order of time. A session counts once."""
    good, harm = RankWager(greater=False), RankWager(greater=True)
    troubles: dict[Arm, list[int]] = {Arm.GIVEN: [], Arm.WITHHELD: []}
    met: set[str] = set()
    for row in rows:
        if row.session in met:
            continue
        met.add(row.session)
        number = sum(row.rails.get(name, 0) for name in counted)
        troubles[row.arm].append(number)
        for wager in (good, harm):
            wager.add(row.chance, number, given=row.arm is Arm.GIVEN)
    given, withheld = troubles[Arm.GIVEN], troubles[Arm.WITHHELD]
    ratio, interval = _compared(given, withheld)
    return Portfolio(
        with_hints=_mean(given),
        without=_mean(withheld),
        sessions_with=len(given),
        sessions_without=len(withheld),
        ratio=ratio,
        interval=interval,
        good=good.value,
        harm=harm.value,
    )


def _compared(given: Sequence[int], withheld: Sequence[int]) -> tuple[float | None, tuple[float, float] | None]:
    """The ratio of two means and 95% of it. What troubles cluster in sessions is in their spread."""
    if not sum(withheld) or not given:
        return None, None
    ratio = _mean(given) / _mean(withheld)
    if not sum(given) or min(len(given), len(withheld)) < _FEWEST:
        return ratio, None
    spread = _WIDTH * math.sqrt(sum(_variance(each) / len(each) / _mean(each) ** 2 for each in (given, withheld)))
    return ratio, (ratio * math.exp(-spread), ratio * math.exp(spread))


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _variance(numbers: Sequence[int]) -> float:
    mean = _mean(numbers)
    return sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
