"""Estimates from sessions what the lines of an instruction file do: which failures began or ended with a line.

It compares sessions before and after a word came into the file, and only for failures of calls that use the word: a
line is not blamed for what it does not mention. Sessions are counted, not failures; the general trend is taken off;
the same statistic on placebo dates shows how much is chance; all lines share one limit. None of this is proof.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.blame.chance import MAX_CHANCE, MIN_SESSIONS, binomial_tail, is_rare_at_placebos, ratio_interval
from wisen.model.instruction import Effect, InstructionLine, Rate, Strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from wisen.blame.timeline import Timeline
    from wisen.model.failure import Signature

_MAX_DRIFT = 3.0
"""The largest factor by which everything else is assumed to have changed."""
_JUST_BEFORE = 10
"""Sessions before a line in which its failure must not have been going on."""


def measure_effects(lines: Sequence[InstructionLine], timeline: Timeline) -> tuple[Effect, ...]:
    """Estimate the effect of each line, in the order of the lines."""
    measurement = _Measurement(timeline)
    links = [link for line, words in _new_words(lines) for link in measurement.links(line, words)]
    significant: dict[int, list[_Link]] = defaultdict(list)
    for link in links:
        if measurement.is_significant(link, len(links)):
            significant[id(link.line)].append(link)
    return tuple(measurement.build_effect(line, significant.get(id(line), []), len(links)) for line in lines)


def _new_words(lines: Sequence[InstructionLine]) -> Iterable[tuple[InstructionLine, set[str]]]:
    """Yield the lines that may be linked to failures, each with the words that no older line had."""
    first: dict[str, datetime] = {}
    for line in lines:
        for word in _words_of(line):
            first[word] = min(line.born, first.get(word, line.born))
    for line in lines:
        if line.rule and not line.since_known:
            yield line, {word for word in _words_of(line) if len(word) > 1 and first[word] >= line.born}


def _words_of(line: InstructionLine) -> Iterable[str]:
    return (word for name in line.words for word in name.split())


class _Link(Struct, frozen=True, kw_only=True):
    """A failure that may be related to a line, because its calls use a word that came with the line."""

    line: InstructionLine
    signature: Signature
    before: Rate
    after: Rate
    drift: float
    span: range
    """The sessions that began while the line was in the file."""

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


class _Measurement:
    """Compares sessions before and after lines came into a file."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._placebo_cache: dict[tuple[int, int, float], bool] = {}

    def links(self, line: InstructionLine, words: set[str]) -> list[_Link]:
        """Return the failures of calls that use a word that came into the file with a line."""
        after = self._timeline.span(line.born, line.gone)
        if not words or not after.start or not after:
            return []
        return [self._link(line, signature, after) for signature in self._timeline.using(words)]

    def _link(self, line: InstructionLine, signature: Signature, after: range) -> _Link:
        before, count = range(after.start), self._timeline.count_failing
        return _Link(
            line=line,
            signature=signature,
            before=Rate(sessions=count(signature, before), of=len(before)),
            after=Rate(sessions=count(signature, after), of=len(after)),
            drift=self._drift(signature, before, after),
            span=after,
        )

    def _drift(self, signature: Signature, before: range, after: range) -> float:
        """Return how much more often everything else fails afterwards."""
        rates = [
            (self._timeline.count_failing_otherwise(signature, part) + 1) / (len(part) + 2) for part in (before, after)
        ]
        return min(max(rates[1] / rates[0], 1 / _MAX_DRIFT), _MAX_DRIFT)

    def is_significant(self, link: _Link, tested: int) -> bool:
        """Whether a link is too strong for chance, both by calculation and by comparison with placebo dates."""
        if max(link.before.sessions, link.after.sessions) < MIN_SESSIONS:
            return False
        if link.chance <= link.chance_fewer and self._had_begun(link):
            return False
        chance = min(link.chance, link.chance_fewer)
        return chance * tested <= MAX_CHANCE and self._is_rare_at_placebos(link.span, chance)

    def _had_begun(self, link: _Link) -> bool:
        """Whether a failure had already begun when the line came: lines are written when something goes wrong."""
        cut = link.before.of
        return self._timeline.count_failing(link.signature, range(max(cut - _JUST_BEFORE, 0), cut)) > 1

    def _is_rare_at_placebos(self, span: range, chance: float) -> bool:
        """Whether the same statistic is rarely so low for any failure at any session where the line did not come."""
        key = span.start, len(span), chance
        if key not in self._placebo_cache:
            self._placebo_cache[key] = is_rare_at_placebos(
                list(self._timeline.failing.values()), len(self._timeline), span, chance
            )
        return self._placebo_cache[key]

    def build_effect(self, line: InstructionLine, significant: list[_Link], tested: int) -> Effect:
        """Build the reported effect of one line."""
        under = self._timeline.span(line.born, line.gone)
        relevant = self._timeline.with_any(line.words, under)
        violated = self._timeline.with_any(line.against, under)
        followed = relevant - violated if line.rule else ()
        strongest = min(significant, key=lambda link: min(link.chance, link.chance_fewer), default=None)
        plain = Effect(
            line=line,
            strength=_strength(line, len(under), len(relevant)),
            under=len(under),
            relevant=len(relevant),
            followed=len(followed),
            violated=len(violated),
        )
        if strongest is None:
            return plain
        calls = self._timeline.calls_of(strongest.signature, strongest.span)
        return _with_link(plain, strongest, tested, tuple(calls))


def _strength(line: InstructionLine, under: int, relevant: int) -> Strength:
    if not line.words or under < MIN_SESSIONS:
        return Strength.TOO_EARLY if under < MIN_SESSIONS else Strength.NO_TRACE
    return Strength.NO_TRACE if relevant else Strength.NEVER


def _with_link(plain: Effect, link: _Link, tested: int, calls: tuple[str, ...]) -> Effect:
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
        calls=calls,
    )
