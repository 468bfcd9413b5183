"""Computes the verdicts of `wisen.trials` for many trials at once, with numpy; a test checks that both are equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc

from wisen.model.trial import Verdict
from wisen.trials import evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from wisen.trials.verdicts import VerdictPolicy

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]

ENDINGS = (Verdict.WORSE, Verdict.CONFIRMED, Verdict.INEFFECTIVE, Verdict.INCONCLUSIVE, Verdict.RUNNING)


@dataclass(frozen=True, slots=True)
class TrialEndings:
    """How each of many trials ended, and what its evidence was then."""

    verdict: NDArray[np.int64]
    """Places in ENDINGS."""
    session: NDArray[np.int64]
    good: Floats
    harm: Floats
    futile: Floats
    rails: Floats

    def share(self, verdict: Verdict) -> float:
        """How many ended so."""
        return float(np.mean(self.verdict == ENDINGS.index(verdict)))


def judge(chance: Floats, given: Bools, hit: Bools, places: Sequence[Floats], policy: VerdictPolicy) -> TrialEndings:
    """The verdicts on trials that are rows, with sessions as columns; `places` has one array for each rail."""
    good, harm = (wager(ratios, chance, given, hit) for ratios in (evidence.GOOD, evidence.HARM))
    lost = futile(chance, given, hit)
    rails = np.mean([rank_wager(chance, given, each) for each in places], axis=0) if places else np.ones_like(good)
    worse = (harm >= policy.harm) | (rails >= policy.guardrails)
    doubtful = lost >= policy.futile
    if doubtful.any():
        worse |= doubtful & (1 - below(chance, given, hit, doubtful) >= policy.surely_worse)
    ended = np.arange(1, given.shape[1] + 1) >= policy.sessions
    conditions = [worse, good >= policy.good, doubtful, np.broadcast_to(ended, worse.shape)]
    any_of = np.logical_or.reduce(conditions)
    last = given.shape[1] - 1
    when = np.where(any_of.any(axis=1), any_of.argmax(axis=1), last)
    at = (np.arange(len(when)), when)
    verdict = np.select([condition[at] for condition in conditions], [0, 1, 2, 3], 4)
    return TrialEndings(verdict, when, good[at], harm[at], lost[at], rails[at])


def wager(ratios: tuple[tuple[float, float], ...], chance: Floats, given: Bools, hit: Bools) -> Floats:
    """`evidence.Wager` after each session."""
    first, weight_of_first = evidence.FORECAST
    rate = (np.cumsum(hit, axis=1) - hit + first * weight_of_first) / (np.arange(hit.shape[1]) + weight_of_first)
    total = np.zeros(hit.shape)
    for ratio, weight in ratios:
        usual = chance * ratio + 1 - chance
        without = np.minimum(rate / usual, evidence.MAX_RATE / max(1.0, ratio))
        spared = chance * (1 - without * ratio) + (1 - chance) * (1 - without)
        factor = np.where(
            hit, np.where(given, ratio, 1.0) / usual, (1 - without * np.where(given, ratio, 1.0)) / spared
        )
        total += weight * np.cumprod(factor, axis=1)
    return total


def rank_wager(chance: Floats, given: Bools, place: Floats) -> Floats:
    """`evidence.RankWager` after each session, for the places that numbers have among the earlier ones."""
    pull = place * (given - chance) / np.maximum(chance, 1 - chance)
    mean: Floats = np.mean([np.cumprod(1 + stake * pull, axis=1) for stake in evidence.STAKES], axis=0)
    return mean


def rank_places(numbers: Floats) -> Floats:
    """The place of each session's number among the earlier ones of its row, from -1 to 1."""
    found = np.zeros(numbers.shape)
    for column in range(1, numbers.shape[1]):
        earlier, now = numbers[:, :column], numbers[:, column : column + 1]
        found[:, column] = ((earlier < now).sum(axis=1) + (earlier <= now).sum(axis=1)) / column - 1
    return found


def futile(chance: Floats, given: Bools, hit: Bools) -> Floats:
    """`evidence.Tally.futile` after each session."""
    total = np.zeros(hit.shape)
    for ratio, weight in evidence.FUTILE:
        usual = (chance * evidence.USEFUL + 1 - chance) / (chance * ratio + 1 - chance)
        step = np.where(hit, usual * np.where(given, ratio / evidence.USEFUL, 1.0), 1.0)
        total += weight * np.cumprod(step, axis=1)
    return total


def below(chance: Floats, given: Bools, hit: Bools, where: Bools) -> Floats:
    """`evidence.Tally.below` for a ratio of 1 after the sessions that are asked for; one half elsewhere."""
    got, without = np.zeros(hit.shape), np.zeros(hit.shape)
    chances = np.broadcast_to(chance, hit.shape)
    for each in np.unique(chances):
        here = chances == each
        hits, of = np.cumsum(hit & here, axis=1), np.maximum(np.cumsum(here, axis=1), 1)
        share = np.cumsum(given & here, axis=1) / of
        got, without = got + hits * share, without + hits * (1 - share)
    found = np.full(hit.shape, 0.5)
    known = where & (got > 0) & (without > 0)
    hits1, hits0 = np.cumsum(hit & given, axis=1), np.cumsum(hit & ~given, axis=1)
    share = got[known] / (got[known] + without[known])
    found[known] = betainc(hits1[known] + 0.5, hits0[known] + 0.5, share)
    return found
