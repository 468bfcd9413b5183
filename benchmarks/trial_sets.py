"""Simulates many rules at once: the share of false ones among those kept, all hints together, before and after."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.trial_verdicts import ENDINGS, judge, rank_places, rank_wager, wager
from benchmarks.trial_worlds import Cell, make_world
from wisen.model.trial import Verdict
from wisen.trials.before_after import HitSeries, compare_before_after
from wisen.trials.coin import CoinPolicy
from wisen.trials.evidence import GOOD
from wisen.trials.multiple_testing import standing_rules
from wisen.trials.verdicts import VerdictPolicy

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from benchmarks.trial_verdicts import Floats

WORLDS = 400
_RULES, _USEFUL = 30, 10
_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_PATTERNS, _DAYS, _BORN = 60, 150, 100
_WORLDS_TO_COURSES = 80


def figures(pool: Executor, worlds: int = WORLDS) -> dict[str, object]:
    """All of it, with so many worlds of thirty rules; the rest is as many times as costly or cheap."""
    courses = max(1, worlds // _WORLDS_TO_COURSES)
    tried = [(scenario, ratio) for scenario in ("stationary", "drift down", "bursty") for ratio in (1.0, 0.2)]
    likely = dict(zip(tried, pool.map(likely_helped, *zip(*tried, strict=True), [courses] * len(tried)), strict=True))
    rates = {scenario: {"false": likely[scenario, 1.0], "power at 0.2": likely[scenario, 0.2]} for scenario, _ in tried}
    return {**_many_rules(worlds), "portfolio": _portfolio(3 * worlds), "before_after": rates}


def _many_rules(worlds: int) -> dict[str, object]:
    """Thirty rules on trial, twenty of which do nothing, after 240 relevant sessions of each."""
    chance = np.random.default_rng(3)
    nothing = _evidence(1.0, (worlds, _RULES - _USEFUL), chance)
    helps = _evidence(0.2, (worlds, _USEFUL), chance)
    false, hit = [], []
    for world in range(worlds):
        evidence = {f"nothing {number}": float(value) for number, value in enumerate(nothing[world])}
        evidence |= {f"helps {number}": float(value) for number, value in enumerate(helps[world])}
        stands = standing_rules(evidence)
        wrong = sum(name.startswith("nothing") for name in stands)
        false.append(wrong / max(len(stands), 1))
        hit.append((len(stands) - wrong) / _USEFUL)
    return {
        "fdr": float(np.mean(false)),
        "fdr_error": float(np.std(false) / worlds**0.5),
        "fdr_power": float(np.mean(hit)),
    }


def _evidence(ratio: float, shape: tuple[int, int], chance: np.random.Generator) -> Floats:
    """The evidence that rules help; those that are confirmed go on with a few sessions withheld, the others stop."""
    world = make_world(Cell(law=".2", ratio=ratio), shape[0] * shape[1], chance)
    ended = judge(world.chance, world.given, world.hit, (), VerdictPolicy())
    later = np.arange(world.hit.shape[1]) > ended.session[:, None]
    share = np.where(later, CoinPolicy().proven, world.chance)
    given = np.where(later, chance.random(later.shape) < share, world.given)
    hit = np.where(later, chance.random(later.shape) < np.where(given, ratio * 0.2, 0.2), world.hit)
    at_end = wager(GOOD, share, given, hit)[:, -1]
    confirmed = ended.verdict == ENDINGS.index(Verdict.CONFIRMED)
    return np.where(confirmed, at_end, ended.good).reshape(shape)


def _portfolio(trials: int) -> dict[str, float]:
    """Forty hints of which half help against what they are for: how often that is seen in 240 sessions."""
    chance = np.random.default_rng(5)
    results = {}
    for share in (0.5, 0.8, 0.9):
        for name, useful in (("power", 20), ("false", 0)):
            given = chance.random((trials, 240)) < share
            mean = 0.05 * (40 - useful) + np.where(given, 0.015, 0.05) * useful
            place = rank_places(chance.poisson(mean).astype(float))
            seen = rank_wager(np.full(240, share), given, -place)
            results[f"{name} at {share:g}"] = float(np.mean((seen >= 20).any(axis=1)))
    return results


def likely_helped(scenario: str, ratio: float, courses: int) -> float:
    """Rules that are never withheld, made at a peak: how often they are said to have likely helped on day 30."""
    chance = np.random.default_rng([*f"{scenario} {ratio}".encode()])
    born = _BEGAN + timedelta(days=_BORN)
    verdicts = []
    for _ in range(courses):
        hits, changed = _course(scenario, ratio, chance)
        plain, ruled = ([_hit_series(each) for each in part] for part in (hits, changed))
        peaks = [number for number in range(_PATTERNS) if hits[number, (_BORN - 30) * 4 : _BORN * 4].sum() >= 3]
        for number in peaks:
            others = [course for other, course in enumerate(plain) if other != number]
            verdicts.append(compare_before_after(ruled[number], born, others, born + timedelta(days=30)).helped)
    return float(np.mean(verdicts))


def _course(scenario: str, ratio: float, chance: np.random.Generator) -> tuple[Floats, Floats]:
    """The sessions of patterns without rules, and the same had each got one; four a day."""
    rates = chance.beta(0.5, 9.5, _PATTERNS)[:, None] * np.ones(_DAYS * 4)
    if scenario == "drift down":
        rates[:, _BORN * 4 :] *= 0.6
    if scenario == "bursty":
        now = chance.random(_PATTERNS) < 0.2
        for session in range(_DAYS * 4):
            now = chance.random(_PATTERNS) < np.where(now, 0.8, 0.05)
            rates[:, session] *= np.where(now, 4.0, 0.5)
    drawn = chance.random(rates.shape)
    ruled = rates.copy()
    ruled[:, _BORN * 4 :] *= ratio
    return (drawn < rates).astype(float), (drawn < ruled).astype(float)


def _hit_series(row: Floats) -> HitSeries:
    return HitSeries.from_sessions((_BEGAN + timedelta(hours=6 * number), bool(hit)) for number, hit in enumerate(row))
