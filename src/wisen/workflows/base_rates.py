"""How often steps are taken anyway: what every project does in most runs says nothing about a workflow.

A step is worth as many bits as its being there would surprise somebody who knows only the other runs of the project,
in which the step before it was taken or not. Where there are few other runs, what projects have in common counts.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

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


class BaseRates:
    """Counts steps and words of the runs of a project.

    `without` names runs that do not count: those that are judged by the others.
    """

    def __init__(self) -> None:
        self.runs = 0
        self.with_step: dict[str, list[int]] = defaultdict(list)
        """The numbers of the runs that take a step, in order."""
        self._keys: list[Sequence[str]] = []
        self._words: list[frozenset[str]] = []
        self._taken: list[frozenset[str]] = []
        self._with_word = Counter[str]()
        self._followed = Counter[tuple[str, str]]()
        """In how many runs a step comes after another one."""
        self._steps = 0

    def add(self, keys: Sequence[str], words: Iterable[str]) -> int:
        """Count a run; returns its number."""
        number = self.runs
        taken = frozenset(keys)
        for key in taken:
            self.with_step[key].append(number)
        self._with_word.update(words := frozenset(words))
        self._followed.update(_pairs(keys))
        self._keys.append(keys)
        self._words.append(words)
        self._taken.append(taken)
        self._steps += len(keys)
        self.runs += 1
        return number

    def is_specific(self, key: str, without: Collection[int]) -> bool:
        """Whether neither other projects nor the other runs of this one often take a step."""
        return is_specific(key) and self.rate(key, without) < _OFTEN

    def rate(self, key: str, without: Collection[int] = ()) -> float:
        """Return the rate of a step in the other runs."""
        others = len(self.with_step.get(key, ())) - sum(key in self._taken[number] for number in without)
        return (others + _PRIOR_RUNS * usual_rate(key)) / (self.runs - len(without) + _PRIOR_RUNS)

    def bits(self, key: str, without: Collection[int] = ()) -> float:
        """Return how much a step says about a run."""
        return -math.log2(self.rate(key, without))

    def bits_in_order(self, keys: Sequence[str], without: Collection[int] = (), length: int = 0) -> list[float]:
        """Return how much each step says after the one before it, in a run of some length: a long one takes many."""
        longer = max(1.0, length * self.runs / max(self._steps, 1))
        found, before = [], ""
        for key in keys:
            rate = self.rate(key, without)
            if before:
                rate = max(rate, self._rate_after(before, key, rate, without))
            found.append(-math.log2(1.0 - (1.0 - rate) ** longer))
            before = key
        return found

    def word_bits(self, word: str, members: Collection[int]) -> float:
        """Return how much more likely a word is in the requests of some runs than in the others."""
        inside = sum(word in self._words[number] for number in members)
        others = self.runs - len(members)
        outside = (self._with_word[word] - inside + _PRIOR_RUNS * _PRIOR_WORD) / (others + _PRIOR_RUNS)
        share = inside / max(len(members), 1)
        return min(MAX_WORD_BITS, math.log2(share / outside)) if share > outside else 0.0

    def _rate_after(self, before: str, key: str, rate: float, without: Collection[int]) -> float:
        """Return how often a step comes after another one, in the other runs that take that one."""
        there = [number for number in without if before in self._taken[number]]
        follows = self._followed[before, key] - sum(_comes_after(self._keys[number], before, key) for number in there)
        runs = len(self.with_step[before]) - len(there)
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
