"""Backtest results: how a guard would have performed over recorded sessions, with confidence bounds."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - backtests are read back by their types
from math import exp, lgamma, log, log1p
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

_ERROR_RATE = 0.05
"""The error probability of each bound."""
_STEPS = 40
_NEGLIGIBLE = 1e-16
"""Terms smaller than this share of the sum are negligible."""


class Backtest(Struct, frozen=True, kw_only=True):
    """How a guard would have performed over recorded sessions."""

    sessions: int
    """How many sessions were replayed."""
    calls: int = 0
    """How many calls it would have matched."""
    met: int = 0
    """How many of these failed in the way the guard is about."""
    masked: int = 0
    """How many of those reported success to the agent."""
    bad: int = 0
    """How many failed in another way, or were rejected, reverted or corrected."""
    good: int = 0
    """How many succeeded: false positives of the guard."""
    open: int = 0
    """How many have an unknown outcome."""
    helped: int = 0
    """In how many sessions at least one call failed in the way the guard is about."""
    low: float = 0.0
    """Lower bound of its precision, with 95% confidence."""
    high: float = 1.0
    """Upper bound of its precision, with 95% confidence."""
    hit: tuple[str, ...] = ()
    """Examples of successful calls that it would have matched."""
    examples: tuple[str, ...] = ()
    """Examples of failures that it would have matched."""
    first: datetime | None = None
    last: datetime | None = None
    """When it would have matched a call for the first and for the last time."""


def confidence_bounds(successes: int, trials: int) -> tuple[float, float]:
    """Return the lower and upper bound of a true share, each with 95% confidence (Clopper-Pearson)."""
    if not trials:
        return 0.0, 1.0
    low = 0.0 if successes == 0 else _bisect(lambda share: binomial_tail(successes, trials, share) > _ERROR_RATE)
    high = (
        1.0
        if successes == trials
        else _bisect(lambda share: 1 - binomial_tail(successes + 1, trials, share) < _ERROR_RATE)
    )
    return low, high


def _bisect(holds: Callable[[float], bool]) -> float:
    """Return the point between 0 and 1 where a condition starts to hold, by bisection."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return (low + high) / 2


def binomial_tail(successes: int, trials: int, share: float) -> float:
    """Return the probability of at least `successes` of `trials`, where each succeeds with probability `share`.

    The shorter tail is summed from its largest term on, so thousands of trials cost as little as ten.
    """
    above = successes > trials * share
    at, odds = successes if above else successes - 1, share / (1 - share)
    ways = lgamma(trials + 1) - lgamma(at + 1) - lgamma(trials - at + 1)
    term, total = exp(ways + at * log(share) + (trials - at) * log1p(-share)), 0.0
    while term > total * _NEGLIGIBLE:
        total += term
        term *= (trials - at) / (at + 1) * odds if above else at / (trials - at + 1) / odds
        at += 1 if above else -1
    return total if above else 1 - total
