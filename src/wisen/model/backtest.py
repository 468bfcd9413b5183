"""Backtests: how a guard would have fared over recorded sessions, and how sure that makes us."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - backtests are read back by their types
from math import exp, lgamma, log, log1p
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

_SURE = 0.05
"""How often a bound may be wrong."""
_STEPS = 40
_NOTHING = 1e-16
"""What is so much smaller than a sum adds nothing to it."""


class Backtest(Struct, frozen=True, kw_only=True):
    """How a guard would have fared over recorded sessions."""

    sessions: int
    """How many were looked at."""
    calls: int = 0
    """How many calls it would have met."""
    met: int = 0
    """Of these, how many failed in the way that it is about."""
    masked: int = 0
    """Of those, how many told the agent that they had succeeded."""
    bad: int = 0
    """How many failed in another way, or were refused, undone or corrected."""
    good: int = 0
    """How many went well: it would have been in the way."""
    open: int = 0
    """Of how many the end is not known."""
    helped: int = 0
    """In how many sessions at least one call failed in the way that it is about."""
    low: float = 0.0
    """At least how often it is right, with 95 % confidence."""
    high: float = 1.0
    """At most how often it is right, with 95 % confidence."""
    hit: tuple[str, ...] = ()
    """Examples of good calls that it would have met."""
    examples: tuple[str, ...] = ()
    """Examples of failures that it would have met."""
    first: datetime | None = None
    last: datetime | None = None
    """When it would have met something for the first and for the last time."""


def confidence_bounds(right: int, of: int) -> tuple[float, float]:
    """Between which shares the true one lies, each bound with 95 % confidence (Clopper and Pearson)."""
    if not of:
        return 0.0, 1.0
    low = 0.0 if right == 0 else _where(lambda share: binomial_tail(right, of, share) > _SURE)
    high = 1.0 if right == of else _where(lambda share: 1 - binomial_tail(right + 1, of, share) < _SURE)
    return low, high


def _where(holds: Callable[[float], bool]) -> float:
    """Where between 0 and 1 something begins to hold."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return (low + high) / 2


def binomial_tail(right: int, of: int, share: float) -> float:
    """How likely at least so many of so many are right, where each is with this probability.

    The shorter side is summed up from its largest term on, so that thousands cost as little as ten.
    """
    above = right > of * share
    at, odds = right if above else right - 1, share / (1 - share)
    ways = lgamma(of + 1) - lgamma(at + 1) - lgamma(of - at + 1)
    term, total = exp(ways + at * log(share) + (of - at) * log1p(-share)), 0.0
    while term > total * _NOTHING:
        total += term
        term *= (of - at) / (at + 1) * odds if above else at / (of - at + 1) / odds
        at += 1 if above else -1
    return total if above else 1 - total
