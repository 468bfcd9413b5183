"""Rules that are never withheld: before against after, which can say "likely helped" and never more.

A rule is born when its failure is at a peak, and what is at a peak falls by itself. So the rate before is drawn towards
what all patterns have, how all others went is taken off, and the same figure on dates at which nothing happened says
how much chance does. It is looked at on three days only.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

from wisen.model.instruction import Rate
from wisen.model.trial import BeforeAfter
from wisen.trials.evidence import beta_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

LOOKS = (14, 30, 60)
"""The days after a rule came at which it is looked at; each look later than the last replaces it."""
PLACEBOS = 100
"""So many dates at which nothing happened are needed to know what chance does."""
LIMIT = 0.01
"""How often chance may do as much."""
_BEFORE = 30
_STEP = 7
"""Days between two placebo dates."""
_PEAK = 3
"""Hits that make a pattern worth a rule: placebo dates are taken where others had as many."""
_DRIFT = 3.0
"""Everything else is not taken to have changed more than so much."""
_GOLDEN = (math.sqrt(5) - 1) / 2


@dataclass(frozen=True, slots=True)
class Course:
    """The relevant sessions of one pattern in the order of time, and how many hits there were before each."""

    times: tuple[datetime, ...]
    hits: tuple[int, ...]
    """One more than there are sessions."""

    @classmethod
    def of(cls, sessions: Iterable[tuple[datetime, bool]]) -> Course:
        """The course of sessions, each with whether it happened."""
        ordered = sorted(sessions)
        return cls(tuple(when for when, _ in ordered), tuple(accumulate((hit for _, hit in ordered), initial=0)))

    def around(self, at: datetime, days: int) -> HitCounts:
        """The sessions in the month before a date and in so many days after it."""
        first, cut, last = (
            bisect_left(self.times, when) for when in (at - timedelta(days=_BEFORE), at, at + timedelta(days=days))
        )
        return HitCounts(before=self._rate(first, cut), after=self._rate(cut, last))

    def _rate(self, first: int, last: int) -> Rate:
        return Rate(sessions=self.hits[last] - self.hits[first], of=last - first)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCounts:
    """Sessions with a hit, before and after a date."""

    before: Rate
    after: Rate


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """How often patterns happen: Gamma, with this shape and rate."""

    shape: float
    rate: float

    def expects(self, before: Rate) -> float:
        """The rate of a pattern, given what was seen of it."""
        return (self.shape + before.sessions) / (self.rate + before.of)


def look(elapsed: timedelta) -> int | None:
    """The day whose look holds so long after a rule came; None while it is too early."""
    return max((day for day in LOOKS if elapsed >= timedelta(days=day)), default=None)


def before_after(rule: Course, at: datetime, others: Sequence[Course], now: datetime) -> BeforeAfter:
    """What the sessions before and after a rule came say; `others` are the patterns that no rule was made for."""
    day = look(now - at)
    counts = rule.around(at, day or 0)
    told = BeforeAfter(day=day, before=counts.before, after=counts.after)
    if day is None or not counts.before.sessions or not counts.after.of:
        return told
    around = [other.around(at, day) for other in others]
    prior = fit([each.before for each in (*around, counts) if each.before.of])
    gone = drift(prior, around)
    placebos = _placebos(prior, others, counts.before.sessions, day, now)
    chance = surprise(prior, counts, gone)
    rank = (1 + sum(each <= chance for each in placebos)) / (1 + len(placebos))
    return BeforeAfter(
        day=day,
        before=counts.before,
        after=counts.after,
        drift=gone,
        chance=rank if len(placebos) >= PLACEBOS else None,
        placebos=len(placebos),
        helped=len(placebos) >= PLACEBOS and max(rank, chance) <= LIMIT,
    )


def _placebos(prior: Prior, others: Sequence[Course], hits: int, day: int, now: datetime) -> list[float]:
    """The same figure for every other pattern on each date at which it was at a peak too and nothing was done."""
    starts = [course.times[0] for course in others if course.times]
    if not starts:
        return []
    date, found = min(starts) + timedelta(days=_BEFORE), []
    while date + timedelta(days=day) <= now:
        around = [other.around(date, day) for other in others]
        gone = drift(prior, around)
        peaks = [each for each in around if each.before.sessions >= min(hits, _PEAK) and each.after.of]
        found += [surprise(prior, each, gone) for each in peaks]
        date += timedelta(days=_STEP)
    return found


def drift(prior: Prior, others: Iterable[HitCounts]) -> float:
    """How much more often everything else happens afterwards than was to be expected."""
    seen = expected = 0.5
    for each in others:
        seen += each.after.sessions
        expected += each.after.of * prior.expects(each.before)
    return min(max(seen / expected, 1 / _DRIFT), _DRIFT)


def surprise(prior: Prior, counts: HitCounts, gone: float) -> float:
    """The chance of so few hits afterwards if the rule does nothing: a tail of the negative binomial law."""
    shape, rate = prior.shape + counts.before.sessions, prior.rate + counts.before.of
    return beta_below(shape, counts.after.sessions + 1, rate / (rate + gone * counts.after.of))


def fit(rates: Iterable[Rate]) -> Prior:
    """The law of the rates of patterns that makes what was seen likeliest."""
    counted = Counter((rate.sessions, rate.of) for rate in rates)
    hits, of = (sum(pair[part] * times for pair, times in counted.items()) for part in (0, 1))
    by_hits: Counter[int] = Counter()
    for (sessions, _), times in counted.items():
        by_hits[sessions] += times
    middle = math.log(max(hits, 0.5) / max(of, 1))

    def best_mean(shape: float) -> float:
        return _highest(lambda mean: _given_mean(counted, shape, mean), middle - 3, middle + 3)

    def likelihood(log_shape: float) -> float:
        shape = math.exp(log_shape)
        spread = math.fsum(times * (math.lgamma(shape + x) - math.lgamma(shape)) for x, times in by_hits.items())
        return spread + _given_mean(counted, shape, best_mean(shape))

    shape = math.exp(_highest(likelihood, -5.0, 7.0))
    return Prior(shape=shape, rate=shape / math.exp(best_mean(shape)))


def _given_mean(counted: Counter[tuple[int, int]], shape: float, log_mean: float) -> float:
    """What of the log likelihood depends on the mean."""
    rate = shape / math.exp(log_mean)
    return math.fsum(
        times * (shape * math.log(rate / (rate + of)) + hits * math.log(of / (rate + of)))
        for (hits, of), times in counted.items()
    )


def _highest(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one peak is highest, by golden sections."""
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    while high - low > 1e-4:
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = value(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = value(left)
    return (low + high) / 2
