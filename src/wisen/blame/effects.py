"""Estimates from sessions what the lines of an instruction file do: which failures began or ended with a line.

It compares sessions before and after a word came into the file, and only for failures of calls that use the word: a
line is not blamed for what it does not mention. Sessions are counted, not failures; the general trend is taken off;
the same statistic on placebo dates shows how much is chance; all lines share one limit. None of this is proof.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from wisen.model.instruction import Effect, InstructionLine, Rate, Strength
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from wisen.model.failure import Failure, Signature
    from wisen.model.history import History

MIN_SESSIONS = 3
"""Sessions that must have failed before anything is reported about a failure."""
MAX_CHANCE = 0.01
"""The highest probability of chance doing as much, over all lines together, for a line to be named."""
PLACEBOS = 100
"""How many placebo dates are needed to estimate what chance does."""
_MAX_DRIFT = 3.0
"""The largest factor by which everything else is assumed to have changed."""
_PLACEBO_MARGIN = 3
_JUST_BEFORE = 10
"""Sessions before a line in which its failure must not have been going on."""
_PATH_DEPTH = 7
"""How many trailing parts of a path are considered."""
_CHECK_FAILURES = ("build.",)
"""Key prefixes of failed checks: they come with the work, not with a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCalls:
    """The calls and failures of one session."""

    start: datetime
    words: frozenset[str]
    """Every word of its calls, whether they succeeded or not."""
    calls: tuple[frozenset[str], ...]
    failures: tuple[tuple[Signature, frozenset[str], str], ...]
    """Signature, the words of the call, its id."""


def session_calls(history: History, failures: Iterable[Failure]) -> SessionCalls | None:
    """Collect the calls and failures of a session; None where nothing was called."""
    if not history.steps:
        return None
    words = {step.call: frozenset(_call_words(step.tool, step.arguments)) for step in history.steps}
    return SessionCalls(
        start=min(step.at for step in history.steps),
        words=frozenset().union(*words.values()),
        calls=tuple(dict.fromkeys(words.values())),
        failures=tuple(
            (failure.signature, words[failure.call], failure.call)
            for failure in failures
            if failure.call in words and not failure.transient
        ),
    )


def measure_effects(lines: Sequence[InstructionLine], sessions: Iterable[SessionCalls]) -> tuple[Effect, ...]:
    """Estimate the effect of each line, in the order of the lines."""
    timeline = _SessionTimeline(sorted(sessions, key=lambda each: each.start))
    links = [link for line in lines for link in timeline.links(line, lines)]
    significant: dict[int, list[_Link]] = defaultdict(list)
    for link in links:
        if timeline.is_significant(link, len(links)):
            significant[id(link.line)].append(link)
    return tuple(timeline.build_effect(line, significant.get(id(line), []), len(links)) for line in lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Link:
    """A failure that may be related to a line, because its calls use a word that came with the line."""

    line: InstructionLine
    signature: Signature
    before: Rate
    after: Rate
    drift: float
    calls: tuple[str, ...]

    @property
    def chance(self) -> float:
        """The probability that chance alone puts this many failing sessions after the line."""
        return binomial_tail(self.after.sessions, self.before.sessions + self.after.sessions, self.share)

    @property
    def chance_fewer(self) -> float:
        """The probability that chance alone puts this few failing sessions after the line."""
        failing = self.before.sessions + self.after.sessions
        return binomial_tail(self.before.sessions, failing, 1 - self.share)

    @property
    def share(self) -> float:
        """The expected share of failing sessions after the line if it does nothing."""
        after = self.drift * self.after.of
        return after / (self.before.of + after)


class _SessionTimeline:
    """The sessions that read a file, in chronological order."""

    def __init__(self, sessions: list[SessionCalls]) -> None:
        self._sessions = sessions
        self._failing: dict[Signature, list[int]] = defaultdict(list)
        for number, session in enumerate(sessions):
            for signature in {signature for signature, _, _ in session.failures}:
                if not signature.key.startswith(_CHECK_FAILURES):
                    self._failing[signature].append(number)
        self._words_by_signature: dict[Signature, list[frozenset[str]]] = defaultdict(list)
        for session in sessions:
            for signature, words, _ in session.failures:
                self._words_by_signature[signature].append(words)
        self._placebo_cache: dict[tuple[int, int], list[float]] = {}

    def links(self, line: InstructionLine, lines: Sequence[InstructionLine]) -> list[_Link]:
        """Return the failures of calls that use a word that came into the file with a line."""
        if line.since_known or not line.rule:
            return []
        older = {word for other in lines if other.born < line.born for each in other.words for word in each.split()}
        new = {word for each in line.words for word in each.split() if word not in older and len(word) > 1}
        candidates = []
        for signature in self._failing:
            uses = [words for words in self._words_by_signature[signature] if new & words or signature.who in new]
            if 2 * len(uses) >= len(self._words_by_signature[signature]):
                candidates.append(self._link(line, signature))
        return [link for link in candidates if link is not None]

    def _link(self, line: InstructionLine, signature: Signature) -> _Link | None:
        before = [number for number, session in enumerate(self._sessions) if session.start < line.born]
        after = [
            number
            for number, session in enumerate(self._sessions)
            if session.start >= line.born and (line.gone is None or session.start < line.gone)
        ]
        if not before or not after:
            return None
        failing = set(self._failing[signature])
        calls = [call for number in after for other, _, call in self._sessions[number].failures if other == signature]
        return _Link(
            line=line,
            signature=signature,
            before=Rate(sessions=len(failing.intersection(before)), of=len(before)),
            after=Rate(sessions=len(failing.intersection(after)), of=len(after)),
            drift=self._drift(signature, before, after),
            calls=tuple(calls),
        )

    def _drift(self, signature: Signature, before: Sequence[int], after: Sequence[int]) -> float:
        """Return how much more often everything else fails afterwards."""
        others = Counter(
            number for other, numbers in self._failing.items() if other != signature for number in set(numbers)
        )
        rates = [(sum(number in others for number in part) + 1) / (len(part) + 2) for part in (before, after)]
        return min(max(rates[1] / rates[0], 1 / _MAX_DRIFT), _MAX_DRIFT)

    def is_significant(self, link: _Link, tested: int) -> bool:
        """Whether a link is too strong for chance, both by calculation and by comparison with placebo dates."""
        if max(link.before.sessions, link.after.sessions) < MIN_SESSIONS:
            return False
        if link.chance <= link.chance_fewer and self._had_begun(link):
            return False
        chance = min(link.chance, link.chance_fewer)
        if chance * tested > MAX_CHANCE:
            return False
        placebos = self._placebo_chances(link)
        return len(placebos) >= PLACEBOS and sum(each <= chance for each in placebos) <= MAX_CHANCE * len(placebos)

    def _had_begun(self, link: _Link) -> bool:
        """Whether a failure had already begun when the line came: lines are written when something goes wrong."""
        cut = link.before.of
        return sum(cut - _JUST_BEFORE <= number < cut for number in self._failing[link.signature]) > 1

    def _placebo_chances(self, link: _Link) -> list[float]:
        """Compute the same statistic for every failure at every session where the line did not come."""
        cut, width = link.before.of, max(link.after.of, 1)
        if (cut, width) not in self._placebo_cache:
            dates = [
                date
                for date in range(_PLACEBO_MARGIN, len(self._sessions) - _PLACEBO_MARGIN)
                if abs(date - cut) >= _PLACEBO_MARGIN
            ]
            self._placebo_cache[cut, width] = [
                self._chance_at(numbers, date, width) for numbers in self._failing.values() for date in dates
            ]
        return self._placebo_cache[cut, width]

    def _chance_at(self, failing: list[int], date: int, width: int) -> float:
        before = sum(number < date for number in failing)
        after = sum(date <= number < date + width for number in failing)
        if max(before, after) < MIN_SESSIONS:
            return 1.0
        of_after = min(width, len(self._sessions) - date)
        share = of_after / (date + of_after)
        return min(binomial_tail(after, before + after, share), binomial_tail(before, before + after, 1 - share))

    def build_effect(self, line: InstructionLine, significant: list[_Link], tested: int) -> Effect:
        """Build the reported effect of one line."""
        under = [
            session
            for session in self._sessions
            if session.start >= line.born and (line.gone is None or session.start < line.gone)
        ]
        relevant = [session for session in under if _has_call_with(session, line.words)]
        violated = [session for session in under if _has_call_with(session, line.against)]
        followed = [session for session in relevant if line.rule and not _has_call_with(session, line.against)]
        strongest = min(significant, key=lambda link: min(link.chance, link.chance_fewer), default=None)
        plain = Effect(
            line=line,
            strength=_strength(line, len(under), len(relevant)),
            under=len(under),
            relevant=len(relevant),
            followed=len(followed),
            violated=len(violated),
        )
        return plain if strongest is None else _with_link(plain, strongest, tested)


def _strength(line: InstructionLine, under: int, relevant: int) -> Strength:
    if not line.words or under < MIN_SESSIONS:
        return Strength.TOO_EARLY if under < MIN_SESSIONS else Strength.NO_TRACE
    return Strength.NO_TRACE if relevant else Strength.NEVER


def _with_link(plain: Effect, link: _Link, tested: int) -> Effect:
    worse = link.chance <= link.chance_fewer
    low, high = ratio_interval(link.after.sessions, link.before.sessions, link.drift * link.after.of, link.before.of)
    return Effect(
        line=plain.line,
        strength=Strength.BEGAN if worse else Strength.HELPED,
        under=plain.under,
        relevant=plain.relevant,
        followed=plain.followed,
        violated=plain.violated,
        signature=link.signature,
        before=link.before,
        after=link.after,
        ratio=((link.after.sessions + 0.5) / (link.drift * link.after.of))
        / ((link.before.sessions + 0.5) / link.before.of),
        interval=(low, high),
        chance=min(1.0, min(link.chance, link.chance_fewer) * tested),
        calls=link.calls,
    )


def _has_call_with(session: SessionCalls, named: Iterable[str]) -> bool:
    for each in named:
        words = set(each.split())
        if words <= session.words and any(words <= call for call in session.calls):
            return True
    return False


def _call_words(tool: str, arguments: str | None) -> set[str]:
    """Return the words of a call: those of its command, or the tool's name and the files it is given."""
    fields = fields_of(arguments)
    line = command_of(fields)
    if line is not None:
        words = {word for part in parse_command(line).parts for word in part.tokens}
        return words.union(*(_path_names(word) for word in words if "/" in word))
    paths = [str(fields[name]) for name in ("file_path", "path", "notebook_path") if fields.get(name)]
    return {tool}.union(*map(_path_names, paths))


@lru_cache(maxsize=8192)
def _path_names(path: str) -> frozenset[str]:
    """Return every name that people use for a file and its folders: `db.ts`, `api/db.ts`, `api`."""
    parts = [part for part in path.split("/") if part not in ("", ".")][-_PATH_DEPTH:]
    ends = range(1, len(parts) + 1)
    return frozenset("/".join(parts[first:last]) for last in ends for first in range(last))


def binomial_tail(hits: int, trials: int, share: float) -> float:
    """Return the binomial probability of at least this many hits, each with this share."""
    return math.fsum(math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(hits, trials + 1))


def ratio_interval(after: int, before: int, weight_after: float, weight_before: float) -> tuple[float, float]:
    """Return the exact 95% interval of the ratio of two rates, given how many failed in total."""
    trials, scale = after + before, weight_before / weight_after
    low = _share_for_tail(after, trials, 0.025) if after else 0.0
    high = _share_for_tail(after + 1, trials, 0.975) if before else 1.0
    return low / (1 - low) * scale if low < 1 else math.inf, high / (1 - high) * scale if high < 1 else math.inf


def _share_for_tail(hits: int, trials: int, chance: float) -> float:
    """Find the share with which at least this many hits have this probability."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if binomial_tail(hits, trials, middle) < chance else (low, middle)
    return (low + high) / 2
