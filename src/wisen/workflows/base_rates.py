"""How often steps are taken anyway: what every project does in most runs says nothing about a workflow.

A step is worth as many bits as its being there would surprise somebody who knows only the other runs of the project,
in which the step before it was taken or not. Where there are few other runs, what projects have in common counts.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.workflow import WorkflowRun  # noqa: TC001 - msgspec reads the types of fields
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_CHECK = lazy_regex(
    r"(?:.*\b)?(?:tests?|lint|fmt|format|typecheck|tsc|vet|check|build|pytest|jest|vitest|eslint|mypy|clippy)\b"
)
_EVERYWHERE = (
    (lazy_regex(r"edit \.\w+\Z|git (?:add|commit)\Z"), 0.5),
    (_CHECK, 0.35),
    (lazy_regex(r"git (?:push|checkout|switch|pull|fetch|stash|restore|reset|branch)\Z"), 0.25),
    (lazy_regex(r"(?:Task|Agent|Skill)\b|(?:rm|mv|cp|mkdir|chmod|touch|curl|python3?|node|ssh|xargs)\b"), 0.2),
    (lazy_regex(r"edit "), 0.06),
)
"""How often runs of any project take a step; the first that matches counts."""
_ELSEWHERE = 0.02
_PRIOR_RUNS = 10.0
"""How many runs of the project these rates are worth."""
_PRIOR_FOLLOWERS = 4.0
_SPECIFIC, _OFTEN = 0.1, 0.15
"""What is taken more often by runs of any project, or of this one, is nothing special."""
MAX_WORD_BITS = 3.0
"""So much at most is a word of the requests worth."""
_PRIOR_WORD = 0.02


@lru_cache(maxsize=4096)
def usual_rate(key: str) -> float:
    """Return how often runs of any project take a step."""
    return next((rate for form, rate in _EVERYWHERE if form.match(key)), _ELSEWHERE)


def is_specific(key: str) -> bool:
    """Whether a step is not one of those that every project has."""
    return usual_rate(key) < _SPECIFIC


def is_check(key: str) -> bool:
    """Whether a step checks the work: tests, lint, build."""
    return not key.startswith("edit ") and _CHECK.match(key) is not None


class ComparedRun(Struct, frozen=True, array_like=True):
    """A run as patterns see it."""

    run: WorkflowRun
    """With each of its steps once, without words."""
    keys: tuple[str, ...]
    """Its steps with repeats folded."""
    repeated: frozenset[str]
    words: frozenset[str]

    @property
    def taken(self) -> frozenset[str]:
        """Its steps in no order."""
        return frozenset(self.keys)


class StepCounts(Struct, array_like=True):
    """How many runs of a project take a step, one step after another, or name a word."""

    runs: int = 0
    steps: int = 0
    """Of all runs, folded."""
    taken: dict[str, int] = {}
    named: dict[str, int] = {}
    followed: dict[str, dict[str, int]] = {}
    """By a step and one that comes after it."""

    def add(self, each: ComparedRun) -> None:
        """Count a run."""
        for key in each.taken:
            self.taken[key] = self.taken.get(key, 0) + 1
        for word in each.words:
            self.named[word] = self.named.get(word, 0) + 1
        for before, key in _pairs(each.keys):
            row = self.followed.setdefault(before, {})
            row[key] = row.get(key, 0) + 1
        self.steps += len(each.keys)
        self.runs += 1


class BaseRates:
    """What the runs of a project say about each other.

    `without` are runs that do not count: those that are judged by the others.
    """

    def __init__(self, counts: StepCounts) -> None:
        self.counts = counts

    def is_specific(self, key: str, without: Collection[ComparedRun]) -> bool:
        """Whether neither other projects nor the other runs of this one often take a step."""
        return is_specific(key) and self.rate(key, without) < _OFTEN

    def rate(self, key: str, without: Collection[ComparedRun] = ()) -> float:
        """Return the rate of a step in the other runs."""
        others = self.counts.taken.get(key, 0) - sum(key in each.keys for each in without)
        return (others + _PRIOR_RUNS * usual_rate(key)) / (self.counts.runs - len(without) + _PRIOR_RUNS)

    def bits(self, key: str, without: Collection[ComparedRun] = ()) -> float:
        """Return how much a step says about a run."""
        return -math.log2(self.rate(key, without))

    def bits_in_order(self, keys: Sequence[str], without: Collection[ComparedRun], length: int = 0) -> list[float]:
        """Return how much each step says after the one before it, in a run of some length: a long one takes many."""
        longer = max(1.0, length * self.counts.runs / max(self.counts.steps, 1))
        found, before = [], ""
        for key in keys:
            rate = self.rate(key, without)
            if before:
                rate = max(rate, self._rate_after(before, key, rate, without))
            found.append(-math.log2(1.0 - (1.0 - rate) ** longer))
            before = key
        return found

    def word_bits(self, word: str, members: Collection[ComparedRun]) -> float:
        """Return how much more likely a word is in the requests of some runs than in the others."""
        inside = sum(word in each.words for each in members)
        others = self.counts.runs - len(members)
        outside = (self.counts.named.get(word, 0) - inside + _PRIOR_RUNS * _PRIOR_WORD) / (others + _PRIOR_RUNS)
        share = inside / max(len(members), 1)
        return min(MAX_WORD_BITS, math.log2(share / outside)) if share > outside else 0.0

    def _rate_after(self, before: str, key: str, rate: float, without: Collection[ComparedRun]) -> float:
        """Return how often a step comes after another one, in the other runs that take that one."""
        there = [each.keys for each in without if before in each.keys]
        follows = self.counts.followed.get(before, {}).get(key, 0)
        follows -= sum(_comes_after(keys, before, key) for keys in there)
        runs = self.counts.taken.get(before, 0) - len(there)
        return (follows + _PRIOR_FOLLOWERS * rate) / (runs + _PRIOR_FOLLOWERS)


def _pairs(keys: Sequence[str]) -> set[tuple[str, str]]:
    """Return the pairs of steps of which the second comes after the first place of the first."""
    found, before = set[tuple[str, str]](), dict[str, None]()
    for key in keys:
        found.update((each, key) for each in before)
        before[key] = None
    return found


def _comes_after(keys: Sequence[str], before: str, key: str) -> bool:
    at = keys.index(before)
    return key in keys[at + 1 :]
