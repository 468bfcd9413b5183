"""Anytime-valid evidence (e-values) from the sessions of a trial: it may be looked at after every session.

Each figure is a wager against "the rule does nothing": if that is true, it grows thirtyfold in at most one of thirty
trials, however often it is looked at and however the baseline drifts, because only the coin has to be fair. Sessions
are counted, never events. Nothing is decided here.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass, field

GOOD = ((0.05, 0.4), (0.15, 0.3), (0.3, 0.2), (0.5, 0.1))
"""Ratios that a helpful rule may have, each with its weight: the frequency of hits with the rule to that without."""
HARM = ((1.5, 0.2), (2.0, 0.2), (3.0, 0.2), (5.0, 0.2), (8.0, 0.2))
FUTILE = ((0.9, 0.2), (1.0, 0.2), (1.1, 0.2), (1.25, 0.2), (1.5, 0.2))
USEFUL = 0.7
"""The weakest ratio that is worth a rule: three hits in ten go away."""
STAKES = (0.4, 0.8)
"""What is staked on the rank of a number among the earlier ones."""
FORECAST = (0.05, 10)
"""The assumed hit rate before any session is known, and how many sessions that counts for."""
MAX_RATE = 0.8
"""The highest hit rate that is ever assumed."""
_TINY = 1e-300


@dataclass(slots=True)
class Wager:
    """Evidence for one of several ratios, updated session by session. Sessions without a hit count too.

    Where hits are frequent, a session without one says much. The stake on it is predicted from the sessions before, so
    that the wager stays fair; a poor forecast costs evidence and never creates any.
    """

    ratios: tuple[tuple[float, float], ...]
    _logs: list[float] = field(default_factory=list)
    _hits: int = 0
    _sessions: int = 0

    def add(self, chance: float, *, given: bool, hit: bool) -> None:
        """Add a session that got the rule with this probability."""
        self._logs = self._logs or [0.0] * len(self.ratios)
        rate = (self._hits + FORECAST[0] * FORECAST[1]) / (self._sessions + FORECAST[1])
        self._hits, self._sessions = self._hits + hit, self._sessions + 1
        if not 0 < chance < 1:
            return
        for index, (ratio, _) in enumerate(self.ratios):
            expected_ratio = chance * ratio + 1 - chance
            base_rate = min(rate / expected_ratio, MAX_RATE / max(1.0, ratio))
            if hit:
                factor = (ratio if given else 1.0) / expected_ratio
            else:
                spared = chance * (1 - base_rate * ratio) + (1 - chance) * (1 - base_rate)
                factor = (1 - base_rate * (ratio if given else 1.0)) / spared
            self._logs[index] += math.log(factor)

    @property
    def value(self) -> float:
        """The evidence so far; 1 means none."""
        return weighted_mean([(log, weight) for log, (_, weight) in zip(self._logs, self.ratios, strict=False)])


@dataclass(slots=True)
class RankWager:
    """Evidence that a number of each session (failures, tokens) is greater, or smaller, in sessions that get the rule.

    A number counts by its rank among the earlier ones, so that one extreme session weighs no more than a bad one.
    """

    greater: bool = True
    _logs: list[float] = field(default_factory=lambda: [0.0] * len(STAKES))
    _earlier: list[float] = field(default_factory=list)

    def add(self, chance: float, number: float, *, given: bool) -> None:
        """Add a session that got the rule with this probability."""
        earlier = self._earlier
        if earlier and 0 < chance < 1:
            rank = (bisect_left(earlier, number) + bisect_right(earlier, number)) / len(earlier) - 1
            pull = rank * (given - chance) / max(chance, 1 - chance) * (1 if self.greater else -1)
            self._logs = [log + math.log1p(stake * pull) for log, stake in zip(self._logs, STAKES, strict=True)]
        insort(earlier, number)

    @property
    def value(self) -> float:
        """The evidence so far; 1 means none."""
        return weighted_mean([(log, 1 / len(STAKES)) for log in self._logs])


@dataclass(slots=True)
class EvidenceTally:
    """Counts of relevant sessions and hits, by the probability with which they got the rule."""

    _counts: dict[float, list[int]] = field(default_factory=dict)
    """Hits and sessions without the rule, then hits and sessions with it."""

    def add(self, chance: float, *, given: bool, hit: bool) -> None:
        """Add a session."""
        counts = self._counts.setdefault(chance, [0, 0, 0, 0])
        counts[2 * given] += hit
        counts[2 * given + 1] += 1

    def hits(self, *, given: bool) -> int:
        """Return how many sessions had a hit."""
        return sum(counts[2 * given] for counts in self._counts.values())

    def sessions(self, *, given: bool) -> int:
        """Return how many sessions were relevant."""
        return sum(counts[2 * given + 1] for counts in self._counts.values())

    def futility(self) -> float:
        """Return the evidence that the rule prevents too few hits to be worth it; only hits and their arms count."""
        logs = []
        for ratio, weight in FUTILE:
            log = 0.0
            for chance in sorted(self._counts):
                if 0 < chance < 1:
                    without, _, got, _ = self._counts[chance]
                    usual = (chance * USEFUL + 1 - chance) / (chance * ratio + 1 - chance)
                    log += got * math.log(usual * ratio / USEFUL) + without * math.log(usual)
            logs.append((log, weight))
        return weighted_mean(logs)

    def probability_below(self, ratio: float) -> float:
        """Return the probability that hits are less than `ratio` times as frequent with the rule (Jeffreys' prior).

        For display, and together with futility for the verdict "worse". Sessions are compared with those of the same
        chance, so that drift during a change of the chance does not count.
        """
        got = without = 0.0
        for chance in sorted(self._counts):
            hits0, of0, hits1, of1 = self._counts[chance]
            got += (hits0 + hits1) * of1 / (of0 + of1)
            without += (hits0 + hits1) * of0 / (of0 + of1)
        if got + without == 0:
            got, without = float(self.sessions(given=True)), float(self.sessions(given=False))
        if got <= 0 or without <= 0:
            return 0.5
        share = ratio * got / (without + ratio * got)
        return beta_below(self.hits(given=True) + 0.5, self.hits(given=False) + 0.5, share)

    def interval(self) -> tuple[float, float] | None:
        """Return the 95% interval of the ratio; None while there is nothing to compare."""
        if not self.sessions(given=True) or not self.sessions(given=False):
            return None
        return self._ratio_at(0.025), self._ratio_at(0.975)

    def _ratio_at(self, chance: float) -> float:
        low, high = -30.0, 30.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if self.probability_below(math.exp(middle)) < chance else (low, middle)
        return math.exp((low + high) / 2)


def weighted_mean(logs: list[tuple[float, float]]) -> float:
    """Return the weighted mean of evidence given as logarithms; always finite."""
    if not logs:
        return 1.0
    top = max(log for log, _ in logs)
    return math.exp(min(top + math.log(math.fsum(w * math.exp(log - top) for log, w in logs)), 690.0))


def beta_below(a: float, b: float, x: float) -> float:
    """Compute the regularised incomplete beta function by its continued fraction."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _continued_fraction(a, b, x) / a
    return 1 - front * _continued_fraction(b, a, 1 - x) / b


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Sum the continued fraction of the incomplete beta function by Lentz's method."""
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    total = d
    for m in range(1, 10_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + term * d)
            c = _nonzero(1 + term / c)
            total *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return total


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
