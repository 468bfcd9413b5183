"""Describes patterns as workflows: steps in the usual order with options and alternatives, words, how often it worked.

Only what is worth having is described: steps that say much about the runs, and requests with words in common, or many
sessions. Patterns with mostly the same runs are one.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from statistics import median
from typing import TYPE_CHECKING

from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import StepKind, StepUse, Workflow, WorkflowStep
from wisen.workflows.base_rates import is_check, is_specific

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.workflow import WorkflowRun
    from wisen.workflows.base_rates import ComparedRun
    from wisen.workflows.find_patterns import Pattern, PatternFinder

_ALWAYS = 0.9
_TITLE_LENGTH = 80
_TITLE_WORDS = 6
_TITLE_WORTH = 1.0
"""How much the common words of requests must say for one of them to be the title."""
_MAX_ALTERNATIVES = 2
_MAX_WORDS = 8
_DISTANCE = 0.3
"""How far apart, in shares of a run, a step and its alternative are at most."""


@dataclass(frozen=True, kw_only=True)
class ListingPolicy:
    """What a pattern needs to be listed. The values were chosen while reading what real sessions give."""

    sessions: int = 2
    size: int = 6
    """How many its sessions and steps must be together: two steps in three sessions may be chance."""
    bits: float = 10.0
    """How much its steps and words must say about its runs."""
    evidence: float = 0.0
    """How much more they must say than what sessions share by chance."""
    word_share: float = 0.5
    """In how many of its requests a word stands that they have in common."""
    sessions_without_words: int = 4
    """From so many sessions on, requests need no common word."""
    bits_without_words: float = 15.0
    routine_share: float = 0.4
    """What a larger part of the runs of a project does for requests without a common word is its routine."""
    sometimes: float = 0.34
    """In how many of its runs a step is taken that is named as an option."""
    same_words: float = 0.5
    """How similar the requests of two patterns are, if they are one."""
    same_runs: float = 0.5
    """How many runs the smaller of two patterns shares with the other, if they are one."""


@dataclass(frozen=True, kw_only=True)
class _Listed:
    pattern: Pattern
    bits: float
    words: tuple[tuple[str, float], ...]
    shared: tuple[str, ...]
    """The words that most requests have in common."""


def describe_patterns(finder: PatternFinder, policy: ListingPolicy) -> tuple[Workflow, ...]:
    """Return the workflows of a project that are worth having, those of most sessions first."""
    listed = [each for pattern in finder.patterns if (each := _judge(finder, pattern, policy)) is not None]
    found = [_describe(finder, each, policy) for each in _distinct(listed, policy)]
    return tuple(sorted(found, key=lambda each: (-each.sessions, -each.uses, each.id)))


def workflow_id(run: WorkflowRun) -> str:
    """Return the id of the workflow that was found at a run."""
    identity = "\0".join((run.context, run.agent, run.request)).encode("utf-8", "surrogatepass")
    return f"W-{blake2b(identity, digest_size=4).hexdigest()}"


def _judge(finder: PatternFinder, pattern: Pattern, policy: ListingPolicy) -> _Listed | None:
    members = runs = finder.members(pattern)
    sessions = len({each.run.session for each in runs})
    if sessions < policy.sessions or len(pattern.core) < 3 or sessions + len(pattern.core) < policy.size:
        return None
    words = _words(finder, pattern)
    least = policy.word_share * len(runs)
    counts = Counter(word for each in runs for word in each.words)
    shared = tuple(word for word, _ in words if counts[word] >= least)
    bits = sum(finder.rates.bits_in_order(pattern.core, members))
    known = sum(sorted((finder.rates.word_bits(word, members) for word in shared), reverse=True)[:2])
    if bits + known < policy.bits:
        return None
    if not shared and (
        sessions < policy.sessions_without_words
        or bits < policy.bits_without_words
        or len(runs) > policy.routine_share * finder.state.counts.runs
    ):
        return None
    if _evidence(finder, pattern, known) <= policy.evidence:
        return None
    return _Listed(pattern=pattern, bits=bits + known, words=words, shared=shared)


def _evidence(finder: PatternFinder, pattern: Pattern, known: float) -> float:
    """Return how many bits its sessions, but the first, say beyond what some of so many sessions share by chance.

    Each session counts by its best run: by the steps of the pattern that it takes, as often as runs take them, less the
    ways to take that many of them. There are many sessions to choose from, and many steps in a run.
    """
    best: dict[int, float] = {}
    members = finder.members(pattern)
    for each in members:
        taken = sorted(each.taken.intersection(pattern.core))
        bits = sum(map(finder.rates.bits, taken)) - math.log2(math.comb(len(pattern.core), len(taken)))
        best[each.run.session] = max(bits, best.get(each.run.session, 0.0))
    length = round(median(len(each.taken) for each in members))
    chosen = math.comb(len(finder.state.sessions), len(best))
    ways = math.comb(max(length, len(pattern.core)), len(pattern.core))
    said = sum(sorted(best.values())[:-1]) + known / 2 * (len(best) - 1)
    return said - math.log2(chosen) - math.log2(ways)


def _words(finder: PatternFinder, pattern: Pattern) -> tuple[tuple[str, float], ...]:
    """Return the words that requests of several sessions share, by what they say and how many have them."""
    members = finder.members(pattern)
    sessions: dict[str, set[int]] = {}
    counts = Counter[str]()
    for each in members:
        counts.update(each.words)
        for word in each.words:
            sessions.setdefault(word, set()).add(each.run.session)
    weights = {
        word: round(finder.rates.word_bits(word, members) * many / len(members), 3)
        for word, many in counts.items()
        if len(sessions[word]) > 1
    }
    ordered = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
    return tuple(each for each in ordered[:_MAX_WORDS] if each[1] > 0.25)


def _distinct(listed: Sequence[_Listed], policy: ListingPolicy) -> list[_Listed]:
    """Return those that are no variants of a better one: mostly the same runs, and a specific step in common."""
    kept: list[_Listed] = []
    for each in sorted(listed, key=lambda each: (-each.bits * len(each.pattern.members), each.pattern.founder)):
        if not any(_is_variant(each, other, policy) for other in kept):
            kept.append(each)
    return kept


def _is_variant(listed: _Listed, kept: _Listed, policy: ListingPolicy) -> bool:
    one, other = listed.pattern, kept.pattern
    runs, others = set(one.members), set(other.members)
    specific = {key for key in one.core if is_specific(key)}
    if specific - set(other.core) and len(runs) * 3 <= len(others):
        return False  # a part of the runs of a larger one, that does more
    shares_runs = len(runs & others) >= policy.same_runs * min(len(runs), len(others))
    alike = shares_runs or _similarity(dict(listed.words), dict(kept.words)) >= policy.same_words
    return alike and bool(specific.intersection(other.core))


def _similarity(one: dict[str, float], other: dict[str, float]) -> float:
    """Return the cosine of the words of two patterns."""
    product = sum(weight * other.get(word, 0.0) for word, weight in one.items())
    return product / (math.hypot(*one.values()) * math.hypot(*other.values())) if product else 0.0


def _describe(finder: PatternFinder, listed: _Listed, policy: ListingPolicy) -> Workflow:
    pattern = listed.pattern
    members = finder.members(pattern)
    runs = [each.run for each in members]
    steps = _steps(members, pattern.core, policy)
    return Workflow(
        id=workflow_id(finder.state.runs[pattern.founder].run),
        context=runs[0].context,
        title=_title(members, listed, steps),
        words=listed.words,
        steps=steps,
        runs=tuple(run.request for run in runs),
        sessions=len({run.session for run in runs}),
        worked=sum(run.outcome is WorkOutcome.WORKED for run in runs),
        failed=sum(run.outcome is WorkOutcome.FAILED for run in runs),
        duration=timedelta(seconds=median((run.ended - run.at).total_seconds() for run in runs)),
        calls=round(median(run.calls for run in runs)),
        first=runs[0].at,
        last=runs[-1].at,
    )


def _title(members: Iterable[ComparedRun], listed: _Listed, steps: Iterable[WorkflowStep]) -> str:
    """Return the shortest request with most of the words that say what it is about; else the steps."""
    weights = {word: weight for word, weight in listed.words if word in listed.shared}
    core, best, best_worth = set(listed.pattern.core), "", 0.0
    for each in members if sum(weights.values()) >= _TITLE_WORTH else ():
        worth = sum(weights.get(word, 0.0) for word in each.words) / (_TITLE_WORDS + len(each.words))
        worth *= len(core.intersection(each.keys)) / len(core)
        if worth > best_worth:
            best, best_worth = each.run.asked, worth
    if not best:
        return " → ".join(step.key for step in steps if step.use is not StepUse.SOMETIMES)
    return best if len(best) <= _TITLE_LENGTH else f"{best[:_TITLE_LENGTH].rsplit(' ', 1)[0]} …"


def _steps(members: Sequence[ComparedRun], core: Sequence[str], policy: ListingPolicy) -> tuple[WorkflowStep, ...]:
    places: dict[str, list[float]] = {}
    repeated = Counter[str]()
    kinds: dict[str, StepKind] = {}
    for each in members:
        repeated.update(each.repeated)
        kinds.update((step.key, step.kind) for step in each.run.steps)
        for key in each.taken:
            places.setdefault(key, []).append((each.keys.index(key) + 0.5) / len(each.keys))
    mean = {key: sum(found) / len(found) for key, found in places.items()}
    rest = [key for key in places if key not in core]
    alternatives = {key: _alternatives(key, rest, members, mean) for key in core}
    replaced = {other for found in alternatives.values() for other in found}
    least = max(3.0, policy.sometimes * len(members))
    options = [
        key for key in rest if len(places[key]) >= least and key not in replaced and kinds[key] is not StepKind.EDIT
    ]
    return tuple(
        WorkflowStep(
            key=key,
            kind=kinds[key],
            share=round(share := len(places[key]) / len(members), 3),
            use=StepUse.ALWAYS if share >= _ALWAYS else StepUse.USUALLY if key in core else StepUse.SOMETIMES,
            alternatives=alternatives.get(key, ()),
            repeats=repeated[key] * 2 > len(places[key]),
        )
        for key in _in_usual_order([*core, *options], members, mean)
    )


def _in_usual_order(keys: Iterable[str], members: Sequence[ComparedRun], mean: dict[str, float]) -> list[str]:
    """Return steps by their mean place in the runs; two neighbors that most runs take the other way round change."""
    ordered = sorted(keys, key=lambda key: (mean[key], key))
    for _ in ordered:
        for at in range(len(ordered) - 1):
            first, second = ordered[at : at + 2]
            both = [each.keys for each in members if first in each.keys and second in each.keys]
            if sum(found.index(first) > found.index(second) for found in both) * 2 > len(both):
                ordered[at : at + 2] = second, first
    return ordered


def _alternatives(
    key: str,
    rest: Iterable[str],
    members: Sequence[ComparedRun],
    mean: dict[str, float],
) -> tuple[str, ...]:
    """Return the steps that runs without a step have in its place: alike, near it, and never beside it."""
    without = [each.keys for each in members if key not in each.keys]
    beside = {other for each in members if key in each.keys for other in each.keys}
    found = [
        (other, many)
        for other in rest
        if other not in beside
        and _are_alike(key, other)
        and abs(mean[other] - mean[key]) <= _DISTANCE
        and (many := sum(other in keys for keys in without)) * 2 >= max(3, len(without))
    ]
    return tuple(other for other, _ in sorted(found, key=lambda each: (-each[1], each[0]))[:_MAX_ALTERNATIVES])


def _are_alike(key: str, other: str) -> bool:
    """Whether one step may stand for another: of one program, or both checks."""
    if key.startswith("edit "):
        return False
    return key.partition(" ")[0] == other.partition(" ")[0] or (is_check(key) and is_check(other))
