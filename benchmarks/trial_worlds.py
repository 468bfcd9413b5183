"""Simulates rules and their sessions: how often failures occur before and after a rule, with and without it.

A rule is created when its failure occurred in three sessions of 30 days. So it starts at a peak, and a peak falls by
itself. Then relevant sessions follow until the trial ends; the rule multiplies the rate of the failure, and nothing
else differs by arm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator

    from benchmarks.trial_verdicts import Bools, Floats

SESSIONS = 240
SCENARIOS = (
    "stationary",
    "drift down",
    "drift up",
    "drift at 30",
    "trend",
    "bursty",
    "weekday",
    "user learns",
    "matcher misses",
    "non-compliance",
    "clustered",
)
LAWS: dict[str, float | None] = {"mix": None, ".03": 0.03, ".05": 0.05, ".1": 0.1, ".2": 0.2, ".4": 0.4}
"""How often a failure comes in a relevant session: a long-tailed law, or the same for all."""
CHANCES = ("schedule", ".5", ".8")
_BEFORE_DAYS, _AFTER_DAYS, _ENOUGH = 30, 60, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One way the world may be."""

    scenario: str = "stationary"
    law: str = "mix"
    daily: int = 4
    """Relevant sessions a day."""
    chances: str = "schedule"
    ratio: float = 1.0
    """How many times as often the failure comes with the rule."""

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.scenario}, q {self.law}, {self.daily} a day, chance {self.chances}, ratio {self.ratio:g}"


@dataclass(frozen=True, slots=True)
class World:
    """Trials as rows, sessions as columns; and what sessions would have been had all of them got the rule."""

    chance: Floats
    given: Bools
    hit: Bools
    before: Floats
    """Troubles in the 30 days before, for the peers; events where they cluster."""
    before_of: int
    all_given: Floats
    """Troubles of each session in the 60 days after, if nothing is withheld."""
    per_day: int


def chances(kind: str) -> Floats:
    """With which probability each session of a trial gets the rule."""
    if kind == "schedule":
        return np.where(np.arange(SESSIONS) < 30, 0.5, 0.8)
    return np.full(SESSIONS, float(kind))


def make_world(cell: Cell, rules: int, chance: Generator, *, peers: bool = False) -> World:
    """The world of a cell with so many rules."""
    per_day = cell.daily
    rates, before, bursting = _draw_rules(cell, rules, chance)
    share = chances(cell.chances)
    given = chance.random((rules, SESSIONS)) < share
    course = rates[:, None] * _course(cell, SESSIONS, bursting, chance)
    hit = chance.random((rules, SESSIONS)) < np.minimum(course * _ratio(cell, given, chance), 1)
    days = _AFTER_DAYS * per_day if peers else 0
    after = np.zeros((rules, 0))
    if peers:
        course = rates[:, None] * _course(cell, days, bursting, chance)
        everywhere = np.ones((rules, days), dtype=bool)
        happened = chance.random((rules, days)) < np.minimum(course * _ratio(cell, everywhere, chance), 1)
        after = happened * _events(cell, happened.shape, chance)
    return World(share, given, hit, before, _BEFORE_DAYS * per_day, after, per_day)


def _ratio(cell: Cell, given: Bools, chance: Generator) -> Floats:
    """What the rule does to each session; where agents do not comply, nothing in one of ten."""
    does: Floats = np.where(given, cell.ratio, 1.0)
    if cell.scenario == "non-compliance":
        does[chance.random(given.shape) < 0.1] = 1.0
    return does


def _events(cell: Cell, shape: tuple[int, ...], chance: Generator) -> Floats:
    """How often it happens in a session in which it happens."""
    more: Floats = chance.poisson(2.0 if cell.scenario == "clustered" else 0.0, shape).astype(np.float64)
    return 1.0 + more


def _draw_rules(cell: Cell, rules: int, chance: Generator) -> tuple[Floats, Floats, Bools]:
    """The rates of patterns that became rules, their troubles before, and whether they are in a burst now."""
    found: list[tuple[Floats, Floats, Bools]] = []
    count, of, law = 0, _BEFORE_DAYS * cell.daily, LAWS[cell.law]
    if cell.scenario == "matcher misses":
        of = int(of * 0.8)
    while count < rules:
        size = 2 * rules
        rates = chance.beta(0.5, 9.5, size) if law is None else np.full(size, law)
        burst = chance.random(size) < 0.2
        course, burst = _bursts(burst, of, chance) if cell.scenario == "bursty" else (np.ones((1, of)), burst)
        happened = chance.random((size, of)) < np.minimum(rates[:, None] * course, 1)
        kept = happened.sum(axis=1) >= _ENOUGH
        failures = (happened * _events(cell, happened.shape, chance)).sum(axis=1)
        found.append((rates[kept], failures[kept], burst[kept]))
        count += int(kept.sum())
    rates, before, bursting = (np.concatenate(part)[:rules] for part in zip(*found, strict=True))
    return rates, before, bursting


def _course(cell: Cell, sessions: int, bursting: Bools, chance: Generator) -> Floats:
    """By what the rate of each pattern is multiplied in each session, whatever the rule does."""
    number = np.arange(sessions)
    still = np.ones(sessions)
    if cell.scenario == "bursty":
        return _bursts(bursting, sessions, chance)[0]
    courses: dict[str, Floats] = {
        "drift down": still * 0.6,
        "drift up": still * 1.4,
        "drift at 30": np.where(number < 30, 1.0, 1.6),
        "trend": np.linspace(0.5, 1.5, sessions),
        "weekday": np.where(number // cell.daily % 7 < 5, 1.3, 0.25),
        "user learns": np.exp(-1.2 * number / sessions),
    }
    return courses.get(cell.scenario, still)[None, :]


def _bursts(bursting: Bools, sessions: int, chance: Generator) -> tuple[Floats, Bools]:
    """A chain of quiet and bad times: bad ones begin in one of twenty sessions and last five on the mean."""
    now, found = bursting, np.empty((len(bursting), sessions))
    for number in range(sessions):
        now = chance.random(len(now)) < np.where(now, 0.8, 0.05)
        found[:, number] = np.where(now, 4.0, 0.5)
    return found, now
