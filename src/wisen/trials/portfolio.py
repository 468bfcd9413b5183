"""Measures the combined effect of all hints: sessions where the coin withheld all of them, against the others."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from wisen.model.exposure import Arm
from wisen.model.trial import Portfolio, TrialRow
from wisen.trials.evidence import RankWager

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COUNTED_PROBLEMS = ("failures", "corrections")
"""What is summed up as the problems of a session."""
_Z_95 = 1.959964
_MIN_SESSIONS = 5
"""Sessions on each side before an interval is reported."""


def build_portfolio(rows: Iterable[TrialRow], counted: Sequence[str] = COUNTED_PROBLEMS) -> Portfolio:
    """Compare sessions with all hints and with none, given in chronological order. A session counts once."""
    good, harm = RankWager(greater=False), RankWager(greater=True)
    problems: dict[Arm, list[int]] = {Arm.GIVEN: [], Arm.WITHHELD: []}
    seen: set[str] = set()
    for row in rows:
        if row.session in seen:
            continue
        seen.add(row.session)
        number = sum(row.guardrails.get(name, 0) for name in counted)
        problems[row.arm].append(number)
        for wager in (good, harm):
            wager.add(row.chance, number, given=row.arm is Arm.GIVEN)
    given, withheld = problems[Arm.GIVEN], problems[Arm.WITHHELD]
    ratio, interval = _ratio_with_interval(given, withheld)
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


def _ratio_with_interval(
    given: Sequence[int], withheld: Sequence[int]
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the ratio of two means and its 95% interval. Clustering of problems in sessions is in their variance."""
    if not sum(withheld) or not given:
        return None, None
    ratio = _mean(given) / _mean(withheld)
    if not sum(given) or min(len(given), len(withheld)) < _MIN_SESSIONS:
        return ratio, None
    spread = _Z_95 * math.sqrt(sum(_variance(each) / len(each) / _mean(each) ** 2 for each in (given, withheld)))
    return ratio, (ratio * math.exp(-spread), ratio * math.exp(spread))


def _mean(numbers: Sequence[int]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _variance(numbers: Sequence[int]) -> float:
    mean = _mean(numbers)
    return sum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1)
