"""Finds what the runs of a project have in common: patterns of steps that come again in other sessions.

Runs are gone through in the order of time. One that takes the steps of a known pattern joins it; two of different
sessions that share steps which say enough about them found a new one. What is decided about a run depends on earlier
ones alone, so that a pattern stays the same while it gains runs. A run may belong to several patterns: what one of
them explains is left out when the next is looked for.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from datetime import datetime  # noqa: TC003 - msgspec reads the types of fields
from heapq import nsmallest
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from wisen.kernel.request_words import request_words
from wisen.mining.work_outcomes import OutcomePolicy, judge_again
from wisen.model.work_outcome import JudgedOutcome
from wisen.model.workflow import RunStep, StepKind
from wisen.workflows.base_rates import BaseRates, ComparedRun, StepCounts, is_specific
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
    newest: int = 400
    """How many earlier runs may found a pattern with a run, the newest."""
    partners: int = 6
    """With how many earlier runs a run is compared: those that share most with it."""
    judged_again: int = 6
    """How many of the newest runs the next session may say something about."""


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


class Pattern(Struct, array_like=True):
    """Steps that came again, and the runs that took them."""

    founder: int
    """The number of the run at which it was found: it founds no other one, so that this identifies the pattern."""
    core: tuple[str, ...]
    """The steps that belong to it, in the usual order."""
    members: list[int]
    """The numbers of its runs, the oldest first."""


class FinderState(Struct, array_like=True):
    """What is known of the runs of a project so far; enough to go on."""

    counts: StepCounts
    runs: dict[int, ComparedRun] = {}
    """The newest runs and the members of patterns, by their numbers."""
    patterns: list[Pattern] = []
    sessions: set[int] = set()
    last: tuple[datetime, str] | None = None
    """When the last run was requested, and the id of the request: what comes before it cannot be added."""


class PatternFinder:
    """Goes through the runs of one project in the order of time."""

    def __init__(self, policy: PatternPolicy, state: FinderState | None = None) -> None:
        """`state`: of the runs so far."""
        self._policy = policy
        self.state = state if state is not None else FinderState(StepCounts())
        self.rates = BaseRates(self.state.counts)
        self._newest: dict[str, deque[int]] = defaultdict(deque)
        """The numbers of the newest runs with a step, in order."""
        for number in range(max(0, self.state.counts.runs - policy.newest), self.state.counts.runs):
            self._index(number)

    @property
    def patterns(self) -> Sequence[Pattern]:
        """The patterns found so far."""
        return self.state.patterns

    def members(self, pattern: Pattern) -> list[ComparedRun]:
        """Return the runs of a pattern, the oldest first."""
        return [self.state.runs[number] for number in pattern.members]

    def add(self, run: WorkflowRun) -> None:
        """Go on by one run."""
        state, number = self.state, self.state.counts.runs
        each = _compared(run)
        self._judge_last_session(run)
        state.counts.add(each)
        state.runs[number] = each
        state.sessions.add(run.session)
        state.last = order_of(run)
        explained = set[str]()
        for pattern in state.patterns:
            if self._takes(each, pattern):
                pattern.members.append(number)
                pattern.core = self._core(pattern)
                explained.update(self._usual(pattern))
        if any(is_specific(key) for key in each.keys if key not in explained):
            self._found(number, explained)
        self._index(number)
        self._drop(number - self._policy.newest)

    def _judge_last_session(self, run: WorkflowRun) -> None:
        """Judge the last runs of the session before again: this one may ask for the same once more."""
        end = self.state.counts.runs
        for number in range(max(0, end - self._policy.judged_again), end):
            each = self.state.runs.get(number)
            if each is None or each.run.session == run.session or not run.asked:
                continue
            if run.at - each.run.ended <= OutcomePolicy.next_session_within:
                self.state.runs[number] = structs.replace(each, run=_judged_again(each.run, run.asked))

    def _index(self, number: int) -> None:
        """Find a run by its steps, as long as it may found a pattern."""
        for key in filter(is_specific, self.state.runs[number].taken):
            self._newest[key].append(number)

    def _drop(self, number: int) -> None:
        """Drop a run that is too old to found a pattern; what belongs to one is kept."""
        if number < 0:
            return
        for key in filter(is_specific, self.state.runs[number].taken):
            self._newest[key].popleft()
        if not any(number in pattern.members for pattern in self.state.patterns):
            del self.state.runs[number]

    def _takes(self, each: ComparedRun, pattern: Pattern) -> bool:
        """Whether a run takes enough of a pattern: most of it, or steps that would found it, and half in its order."""
        there = each.taken
        taken = [key for key in pattern.core if key in there]
        if len(taken) < 2 or not any(map(is_specific, taken)):
            return False
        without = (*self.members(pattern), each)
        if not any(self.rates.is_specific(key, without) for key in taken):
            return False
        bits = {key: self.rates.bits(key, without) for key in pattern.core}
        total, shared = sum(bits.values()), sum(bits[key] for key in taken)
        if shared < self._policy.join_share * total and (
            shared < self._policy.least_share * total
            or self._bits(taken, without, len(each.keys)) < self._needed(len(taken), len(there))
        ):
            return False
        return sum(bits[key] for key in shared_in_order(each.keys, pattern.core, bits.__getitem__)) >= shared / 2

    def _found(self, number: int, explained: Collection[str]) -> None:
        """Look for an earlier run of another session that shares enough with a run beyond what patterns explain."""
        best = _NOTHING
        for other in self._partners(number, explained):
            best = max(best, self._compare(number, other, explained), key=lambda each: each.bits)
        other, shared = best.other, best.shared
        if other < 0:
            return
        pattern = Pattern(number, shared, [other, number])
        for earlier, each in self.state.runs.items():
            if earlier not in (number, other) and self._takes(each, pattern):
                pattern.members.append(earlier)
        pattern.members.sort()
        pattern.core = self._core(pattern)
        self.state.patterns.append(pattern)

    def _compare(self, number: int, other: int, explained: Collection[str]) -> _Founding:
        """Return what two runs share in order, and how much that and their requests say."""
        pair = one, theirs = self.state.runs[number], self.state.runs[other]
        weights = {key: self.rates.bits(key, pair) for key in set(one.keys).intersection(theirs.keys)}
        words = one.words.intersection(theirs.words)
        worth = sum(sorted((self.rates.word_bits(word, pair) for word in words), reverse=True)[:_WORDS])
        if sum(weights.values()) + worth <= self._needed(1, 1):
            return _NOTHING  # whatever the order
        shared = tuple(dict.fromkeys(shared_in_order(one.keys, theirs.keys, lambda key: weights.get(key, 0.0))))
        new = [key for key in shared if key not in explained]
        if len(shared) < 3 or self._is_known(shared) or not any(self.rates.is_specific(key, pair) for key in new):
            return _NOTHING
        length = min(len(one.keys), len(theirs.keys))
        if self._bits(new, pair, length) < self._policy.least_bits:
            return _NOTHING
        needed = self._needed(len(shared), min(len(one.taken), len(theirs.taken)))
        surplus = self._bits(shared, pair, length) + worth - needed
        return _Founding(surplus, other, shared) if surplus > 0 else _NOTHING

    def _needed(self, shared: int, length: int) -> float:
        """Return how much shared steps must say: there are many runs to share them, and many ways to choose them."""
        return self._policy.found_bits + math.log2(self.state.counts.runs) + math.log2(math.comb(length, shared))

    def _bits(self, keys: Sequence[str], without: Collection[ComparedRun], length: int) -> float:
        """Return how much steps in this order say about a run of some length: a long run takes many by chance."""
        return sum(self.rates.bits_in_order(keys, without, length))

    def _is_known(self, shared: Sequence[str]) -> bool:
        """Whether a pattern has most of these steps already."""
        wanted = {key for key in shared if is_specific(key)}
        return any(len(wanted.intersection(pattern.core)) * 2 > len(wanted) for pattern in self.state.patterns)

    def _partners(self, number: int, explained: Collection[str]) -> list[int]:
        """Return the newest runs of other sessions that share most with a run beyond what patterns explain."""
        run = self.state.runs[number]
        keys = {key for key in run.keys if key not in explained and is_specific(key)}
        shared: dict[int, float] = {}
        for key in sorted(keys):
            worth = self.rates.bits(key)
            for other in self._newest[key]:
                shared[other] = shared.get(other, 0.0) + worth
        able = (
            (-bits, -other) for other, bits in shared.items() if self.state.runs[other].run.session != run.run.session
        )
        return [-other for _, other in nsmallest(self._policy.partners, able)]

    def _usual(self, pattern: Pattern) -> set[str]:
        """Return the steps that belong to a pattern, and those that many of its runs take besides."""
        counts = Counter(key for each in self.members(pattern) for key in each.taken)
        least = max(2.0, self._policy.optional_share * len(pattern.members))
        return {key for key, many in counts.items() if many >= least}.union(pattern.core)

    def _core(self, pattern: Pattern) -> tuple[str, ...]:
        """Return the steps that most runs of a pattern take, in the usual order."""
        members = [each.keys for each in self.members(pattern)]
        places: dict[str, list[float]] = {}
        for keys in members:
            for key in set(keys):
                places.setdefault(key, []).append((keys.index(key) + 0.5) / len(keys))
        least = max(2.0, self._policy.core_share * len(members))
        usual = [key for key, found in places.items() if len(found) >= least]
        return tuple(sorted(usual, key=lambda key: (sum(places[key]) / len(places[key]), key)))


def _judged_again(run: WorkflowRun, asked: str) -> WorkflowRun:
    before = JudgedOutcome(outcome=run.outcome, reason=run.reason)
    has_edits = any(step.kind is StepKind.EDIT for step in run.steps)
    judged = judge_again(run.asked, before, (asked,), has_edits=has_edits)
    return run if judged == before else structs.replace(run, outcome=judged.outcome, reason=judged.reason)


def find_patterns(runs: Iterable[WorkflowRun], policy: PatternPolicy) -> PatternFinder:
    """Return the patterns of the runs of one project."""
    finder = PatternFinder(policy)
    for run in sorted(runs, key=order_of):
        finder.add(run)
    return finder


def order_of(run: WorkflowRun) -> tuple[datetime, str]:
    """Return what runs are ordered by."""
    return run.at, run.request


def _compared(run: WorkflowRun) -> ComparedRun:
    keys, repeated = fold_repeats(step.key for step in run.steps)
    kinds = {step.key: step.kind for step in run.steps}
    steps = tuple(RunStep(key=key, kind=kinds[key]) for key in dict.fromkeys(keys))
    asked = "" if run.local else run.asked  # what was typed to a local model is shown to no other
    return ComparedRun(structs.replace(run, steps=steps, asked=asked), keys, repeated, frozenset(request_words(asked)))
