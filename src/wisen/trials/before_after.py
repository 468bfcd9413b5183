"""Before/after comparison for rules that are never withheld; it can say "likely helped" and never more.

A rule is created when its failure is at a peak, and peaks regress to the mean. So the rate before is shrunk towards
that of all patterns, the trend of all other patterns is taken off, and the same figure on placebo dates, at which
nothing happened, shows how much is chance. There are only three looks.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from datetime import timedelta
from itertools import accumulate
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.instruction import Rate
from wisen.model.trial import BeforeAfter
from wisen.trials.evidence import beta_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

LOOKS = (14, 30, 60)
"""The days after a rule was created at which it is looked at; a later look replaces an earlier one."""
PLACEBOS = 100
"""How many placebo dates are needed to estimate what chance does."""
MAX_CHANCE = 0.01
"""The highest probability that chance does as much, for a rule to count as helpful."""
_DAYS_BEFORE = 30
_PLACEBO_STEP = 7
"""Days between two placebo dates."""
_PEAK_HITS = 3
"""Hits that make a pattern worth a rule: placebo dates are those at which other patterns had as many."""
_MAX_DRIFT = 3.0
"""The largest factor by which everything else is assumed to have changed."""
_GOLDEN = (math.sqrt(5) - 1) / 2


class HitSeries(Struct, frozen=True):
    """The relevant sessions of one pattern in chronological order, and how many hits there were before each."""

    times: tuple[datetime, ...]
    hits: tuple[int, ...]
    """One more than there are sessions."""

    @classmethod
    def from_sessions(cls, sessions: Iterable[tuple[datetime, bool]]) -> HitSeries:
        """Build the series from sessions, each with whether the pattern occurred."""
        ordered = sorted(sessions)
        return cls(tuple(when for when, _ in ordered), tuple(accumulate((hit for _, hit in ordered), initial=0)))

    def counts_around(self, at: datetime, days: int) -> HitCounts:
        """Count the sessions in the month before a date and in this many days after it."""
        first, cut, last = (
            bisect_left(self.times, when) for when in (at - timedelta(days=_DAYS_BEFORE), at, at + timedelta(days=days))
        )
        return HitCounts(before=self._rate(first, cut), after=self._rate(cut, last))

    def _rate(self, first: int, last: int) -> Rate:
        return Rate(sessions=self.hits[last] - self.hits[first], of=last - first)


class HitCounts(Struct, frozen=True, kw_only=True):
    """Sessions with a hit, before and after a date."""

    before: Rate
    after: Rate


class Prior(Struct, frozen=True, kw_only=True):
    """The Gamma prior of how often patterns occur."""

    shape: float
    rate: float

    def expected_rate(self, before: Rate) -> float:
        """Return the expected rate of a pattern, given the sessions seen."""
        return (self.shape + before.sessions) / (self.rate + before.of)


def look_day(elapsed: timedelta) -> int | None:
    """Return the day of the look that applies this long after a rule was created; None while it is too early."""
    return max((day for day in LOOKS if elapsed >= timedelta(days=day)), default=None)


def compare_before_after(rule: HitSeries, at: datetime, others: Sequence[HitSeries], now: datetime) -> BeforeAfter:
    """Compare the sessions before and after a rule was created; `others` are the patterns without a rule."""
    day = look_day(now - at)
    counts = rule.counts_around(at, day or 0)
    too_early = BeforeAfter(day=day, before=counts.before, after=counts.after)
    if day is None or not counts.before.sessions or not counts.after.of:
        return too_early
    around = [other.counts_around(at, day) for other in others]
    prior = fit_prior([each.before for each in (*around, counts) if each.before.of])
    ratio = estimate_drift(prior, around)
    placebos = _placebo_figures(prior, others, counts.before.sessions, day, now)
    chance = tail_probability(prior, counts, ratio)
    rank = (1 + sum(each <= chance for each in placebos)) / (1 + len(placebos))
    return BeforeAfter(
        day=day,
        before=counts.before,
        after=counts.after,
        drift=ratio,
        chance=rank if len(placebos) >= PLACEBOS else None,
        placebos=len(placebos),
        helped=len(placebos) >= PLACEBOS and max(rank, chance) <= MAX_CHANCE,
    )


def _placebo_figures(prior: Prior, others: Sequence[HitSeries], hits: int, day: int, now: datetime) -> list[float]:
    """Compute the same figure for every other pattern on each date at which it was at a peak and nothing was done."""
    starts = [course.times[0] for course in others if course.times]
    if not starts:
        return []
    date, figures = min(starts) + timedelta(days=_DAYS_BEFORE), []
    while date + timedelta(days=day) <= now:
        around = [other.counts_around(date, day) for other in others]
        ratio = estimate_drift(prior, around)
        peaks = [each for each in around if each.before.sessions >= min(hits, _PEAK_HITS) and each.after.of]
        figures += [tail_probability(prior, each, ratio) for each in peaks]
        date += timedelta(days=_PLACEBO_STEP)
    return figures


def estimate_drift(prior: Prior, others: Iterable[HitCounts]) -> float:
    """Return how much more often everything else occurs afterwards than expected."""
    seen = expected = 0.5
    for each in others:
        seen += each.after.sessions
        expected += each.after.of * prior.expected_rate(each.before)
    return min(max(seen / expected, 1 / _MAX_DRIFT), _MAX_DRIFT)


def tail_probability(prior: Prior, counts: HitCounts, drift: float) -> float:
    """Return the probability of so few hits afterwards if the rule does nothing (a negative binomial tail)."""
    shape, rate = prior.shape + counts.before.sessions, prior.rate + counts.before.of
    return beta_below(shape, counts.after.sessions + 1, rate / (rate + drift * counts.after.of))


def fit_prior(rates: Iterable[Rate]) -> Prior:
    """Fit the prior of pattern rates by maximum likelihood."""
    counted = Counter((rate.sessions, rate.of) for rate in rates)
    hits, of = (sum(pair[part] * times for pair, times in counted.items()) for part in (0, 1))
    by_hits: Counter[int] = Counter()
    for (sessions, _), times in counted.items():
        by_hits[sessions] += times
    middle = math.log(max(hits, 0.5) / max(of, 1))

    def best_mean(shape: float) -> float:
        return _maximize(lambda mean: _mean_log_likelihood(counted, shape, mean), middle - 3, middle + 3)

    def likelihood(log_shape: float) -> float:
        shape = math.exp(log_shape)
        spread = math.fsum(times * (math.lgamma(shape + x) - math.lgamma(shape)) for x, times in by_hits.items())
        return spread + _mean_log_likelihood(counted, shape, best_mean(shape))

    shape = math.exp(_maximize(likelihood, -5.0, 7.0))
    return Prior(shape=shape, rate=shape / math.exp(best_mean(shape)))


def _mean_log_likelihood(counted: Counter[tuple[int, int]], shape: float, log_mean: float) -> float:
    """Return the part of the log likelihood that depends on the mean."""
    rate = shape / math.exp(log_mean)
    return math.fsum(
        times * (shape * math.log(rate / (rate + of)) + hits * math.log(of / (rate + of)))
        for (hits, of), times in counted.items()
    )


def _maximize(value: Callable[[float], float], low: float, high: float) -> float:
    """Find the maximum of a unimodal function by golden-section search."""
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
