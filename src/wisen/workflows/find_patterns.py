"""Finds what the runs of a project have in common: patterns of steps that come again in other sessions.

Runs are gone through in the order of time. One that takes the steps of a known pattern joins it; two of different
sessions that share steps which say enough about them found a new one. What is decided about a run depends on earlier
ones alone, so that a pattern stays the same while it gains runs. A run may belong to several patterns: what one of
them explains is left out when the next is looked for.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from wisen.workflows.base_rates import BaseRates, is_specific
from wisen.workflows.request_words import request_words
from wisen.workflows.step_sequences import fold_repeats, shared_in_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.workflow import WorkflowRun


@dataclass(frozen=True, kw_only=True)
class PatternPolicy:
    """What a pattern needs. The values were chosen while reading what real sessions give."""

    found_bits: float = 3.0
    """How much the steps that two runs share must say about them, beyond what is found by chance in so many runs."""
    least_bits: float = 5.0
    """How much of that must be steps: the rest may be words of the requests."""
    join_share: float = 0.6
    """How much of a pattern a run must take to join it."""
    least_share: float = 0.35
    """The same for a run whose shared steps would found it."""
    core_share: float = 0.5
    """In how many of its runs a step is taken that belongs to a pattern."""
    optional_share: float = 0.3
    """In how many of its runs a step is taken that is an option of a pattern, and makes no other one."""
    newest: int = 100
    """How many runs with the same step are looked at, the newest."""
    partners: int = 6
    """With how many earlier runs a run is compared: those that share most with it."""


class ComparedRun(NamedTuple):
    """A run as patterns see it."""

    run: WorkflowRun
    keys: tuple[str, ...]
    """Its steps with repeats folded."""
    repeated: frozenset[str]
    words: tuple[str, ...]


class _Founding(NamedTuple):
    """What two runs share."""

    bits: float
    """How much more that says than is needed."""
    other: int
    """The number of the earlier run; negative if they share too little."""
    shared: tuple[str, ...]


_NOTHING = _Founding(0.0, -1, ())
_WORDS = 2
"""How many words of the requests count beside the steps."""


@dataclass(kw_only=True)
class Pattern:
    """Steps that came again, and the runs that took them."""

    founder: int
    """The number of the run at which it was found: it founds no other one, so that this identifies the pattern."""
    core: tuple[str, ...]
    """The steps that belong to it, in the usual order."""
    members: list[int] = field(default_factory=list)
    """The numbers of its runs, the oldest first."""


class PatternFinder:
    """Goes through the runs of one project in the order of time."""

    def __init__(self, policy: PatternPolicy) -> None:
        self._policy = policy
        self.rates = BaseRates()
        self.runs: list[ComparedRun] = []
        self.patterns: list[Pattern] = []

    def add(self, run: WorkflowRun) -> None:
        """Go on by one run."""
        keys, repeated = fold_repeats(step.key for step in run.steps)
        each = ComparedRun(run, keys, repeated, request_words(run.asked))
        number = self.rates.add(keys, each.words)
        self.runs.append(each)
        explained = set[str]()
        for pattern in self.patterns:
            if self._takes(keys, pattern, (*pattern.members, number)):
                pattern.members.append(number)
                pattern.core = self._core(pattern)
                explained.update(self._usual(pattern))
        if any(is_specific(key) for key in keys if key not in explained):
            self._found(number, explained)

    def _takes(self, keys: Sequence[str], pattern: Pattern, without: Collection[int]) -> bool:
        """Whether a run takes enough of a pattern: most of it, or steps that would found it, and half in its order."""
        there = set(keys)
        taken = [key for key in pattern.core if key in there]
        if len(taken) < 2 or not any(self.rates.is_specific(key, without) for key in taken):
            return False
        bits = {key: self.rates.bits(key, without) for key in pattern.core}
        total, shared = sum(bits.values()), sum(bits[key] for key in taken)
        if shared < self._policy.join_share * total and (
            shared < self._policy.least_share * total
            or self._bits(taken, without, len(keys)) < self._needed(len(taken), len(there))
        ):
            return False
        return sum(bits[key] for key in shared_in_order(keys, pattern.core, bits.__getitem__)) >= shared / 2

    def _found(self, number: int, explained: Collection[str]) -> None:
        """Look for an earlier run of another session that shares enough with a run beyond what patterns explain."""
        keys = self.runs[number].keys
        best = _NOTHING
        for other in self._partners(number, [key for key in keys if key not in explained]):
            best = max(best, self._compare(number, other, explained), key=lambda each: each.bits)
        other, shared = best.other, best.shared
        if other < 0:
            return
        pattern = Pattern(founder=number, core=shared, members=[other, number])
        for earlier in self._sharing(key for key in shared if is_specific(key)):
            if earlier not in (number, other) and self._takes(
                self.runs[earlier].keys, pattern, (*pattern.members, earlier)
            ):
                pattern.members.append(earlier)
        pattern.members.sort()
        pattern.core = self._core(pattern)
        self.patterns.append(pattern)

    def _compare(self, number: int, other: int, explained: Collection[str]) -> _Founding:
        """Return what two runs share in order, and how much that and their requests say."""
        pair = (number, other)
        one, theirs = self.runs[number], self.runs[other]
        weights = {key: self.rates.bits(key, pair) for key in set(one.keys).intersection(theirs.keys)}
        shared = tuple(dict.fromkeys(shared_in_order(one.keys, theirs.keys, lambda key: weights.get(key, 0.0))))
        new = [key for key in shared if key not in explained]
        if len(shared) < 3 or self._is_known(shared) or not any(self.rates.is_specific(key, pair) for key in new):
            return _NOTHING
        length = min(len(one.keys), len(theirs.keys))
        if self._bits(new, pair, length) < self._policy.least_bits:
            return _NOTHING
        words = set(one.words).intersection(theirs.words)
        worth = sorted((self.rates.word_bits(word, pair) for word in words), reverse=True)[:_WORDS]
        needed = self._needed(len(shared), min(len(set(one.keys)), len(set(theirs.keys))))
        surplus = self._bits(shared, pair, length) + sum(worth) - needed
        return _Founding(surplus, other, shared) if surplus > 0 else _NOTHING

    def _needed(self, shared: int, length: int) -> float:
        """Return how much shared steps must say: there are many runs to share them, and many ways to choose them."""
        return self._policy.found_bits + math.log2(len(self.runs)) + math.log2(math.comb(length, shared))

    def _bits(self, keys: Sequence[str], without: Collection[int], length: int) -> float:
        """Return how much steps in this order say about a run of some length: a long run takes many by chance."""
        return sum(self.rates.bits_in_order(keys, without, length))

    def _is_known(self, shared: Sequence[str]) -> bool:
        """Whether a pattern has most of these steps already."""
        wanted = {key for key in shared if is_specific(key)}
        return any(len(wanted.intersection(pattern.core)) * 2 > len(wanted) for pattern in self.patterns)

    def _partners(self, number: int, keys: Iterable[str]) -> list[int]:
        """Return the earlier runs of other sessions that share most with a run."""
        session = self.runs[number].run.session
        shared: dict[int, float] = {}
        for key in {key for key in keys if is_specific(key)}:
            worth = self.rates.bits(key)
            for other in self.rates.with_step[key][-self._policy.newest :]:
                shared[other] = shared.get(other, 0.0) + worth
        able = (
            (-bits, -other)
            for other, bits in shared.items()
            if other != number and self.runs[other].run.session != session
        )
        return [-other for _, other in nsmallest(self._policy.partners, able)]

    def _sharing(self, keys: Iterable[str]) -> list[int]:
        """Return the runs that take one of these steps."""
        return sorted({number for key in keys for number in self.rates.with_step[key]})

    def _usual(self, pattern: Pattern) -> set[str]:
        """Return the steps that belong to a pattern, and those that many of its runs take besides."""
        counts = Counter(key for number in pattern.members for key in set(self.runs[number].keys))
        least = max(2.0, self._policy.optional_share * len(pattern.members))
        return {key for key, many in counts.items() if many >= least}.union(pattern.core)

    def _core(self, pattern: Pattern) -> tuple[str, ...]:
        """Return the steps that most runs of a pattern take, in the usual order."""
        members = [self.runs[number].keys for number in pattern.members]
        places: dict[str, list[float]] = {}
        for keys in members:
            for key in set(keys):
                places.setdefault(key, []).append((keys.index(key) + 0.5) / len(keys))
        least = max(2.0, self._policy.core_share * len(members))
        usual = [key for key, found in places.items() if len(found) >= least]
        return tuple(sorted(usual, key=lambda key: (sum(places[key]) / len(places[key]), key)))


def find_patterns(runs: Iterable[WorkflowRun], policy: PatternPolicy) -> PatternFinder:
    """Return the patterns of the runs of one project."""
    finder = PatternFinder(policy)
    for run in sorted(runs, key=lambda run: (run.at, run.request)):
        finder.add(run)
    return finder
