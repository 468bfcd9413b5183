"""Instruction files (CLAUDE.md, AGENTS.md and the like), the life of each line in them, and what it seems to do."""

from __future__ import annotations

import re
from datetime import datetime  # noqa: TC003 - as below
from enum import StrEnum
from hashlib import blake2b
from math import isfinite

from msgspec import Struct

from wisen.model.failure import Signature  # noqa: TC001 - what was judged is read back from JSON by its types

_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_WORD = re.compile(r"\w")
_LONGEST = 80


class Version(Struct, frozen=True, kw_only=True):
    """What a file held from a moment on."""

    at: datetime
    text: str
    origin: str
    """The commit that brought it, `snapshot` where `learn` saw it, or `file` for what is on disk and nowhere else."""


class InstructionFile(Struct, frozen=True, kw_only=True):
    """A file that agents read before they work, with its history as far as it is known."""

    path: str
    root: str
    """The directory whose sessions it speaks to; empty for a file of the user's that speaks to all."""
    versions: tuple[Version, ...]
    """Oldest first."""


class InstructionLine(Struct, frozen=True, kw_only=True):
    """One line through all its moves and rewordings."""

    number: int
    """Where it stands now, counted from 1; 0 when it is gone."""
    text: str
    """As it was last written."""
    born: datetime
    since_known: bool
    """Whether it was already there when the history begins: then its beginning was not seen."""
    gone: datetime | None
    heading: str
    """The heading it stands under."""
    tokens: int
    """What it costs in every session, about."""
    rule: bool
    """Whether it asks for something, and does not only tell."""
    words: tuple[str, ...]
    """The commands, tools and files it names."""
    against: tuple[str, ...]
    """Those of them it forbids."""


class Rate(Struct, frozen=True, kw_only=True):
    """In how many of how many sessions."""

    sessions: int
    of: int


class Strength(StrEnum):
    """How strongly the sessions speak; none of it is proof, which only a trial gives."""

    BEGAN = "began with this line"
    HELPED = "likely helped"
    NO_TRACE = "no trace either way"
    TOO_EARLY = "too early to tell"
    NEVER = "never relevant"


class Effect(Struct, frozen=True, kw_only=True):
    """What the sessions tell about one line."""

    line: InstructionLine
    strength: Strength
    under: int
    """Sessions that began while it stood in the file."""
    relevant: int
    """Those of them that did something it speaks about, whatever came of it."""
    followed: int
    """Those that did what it asks for, where that can be told."""
    violated: int
    """Those that did what it forbids."""
    signature: Signature | None = None
    """The failure that it is about, where the strength speaks of one."""
    before: Rate | None = None
    after: Rate | None = None
    ratio: float | None = None
    """After against before, corrected for how everything else went."""
    interval: tuple[float, float] | None = None
    """95% of it."""
    chance: float | None = None
    """How often chance alone does so much, all lines together."""
    calls: tuple[str, ...] = ()
    """The failing calls, newest last."""


class Blame(Struct, frozen=True, kw_only=True):
    """An instruction file with what the sessions tell about its lines."""

    file: InstructionFile
    effects: tuple[Effect, ...]
    """Of every line that stands in the file now, in order."""
    gone: tuple[Effect, ...]
    """Of lines that are gone but left a trace."""
    sessions: int
    """How many it spoke to."""

    @property
    def tokens(self) -> int:
        """What the whole file costs in every session, about."""
        return sum(effect.line.tokens for effect in self.effects)

    @property
    def content_effects(self) -> tuple[Effect, ...]:
        """Those of lines that say something: code in a fence does; blank lines, headings and fences do not."""
        found, fence = [], ""
        for effect in self.effects:
            text = effect.line.text.strip()
            mark = _FENCE.match(text)
            if mark and not fence:
                fence = mark[0]
            elif fence and text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
            elif _WORD.search(text) and (fence or not _HEADING.match(text)):
                found.append(effect)
        return tuple(found)

    @property
    def strong_effects(self) -> tuple[Effect, ...]:
        """Those with which a failure began or that likely helped; lines that stand first."""
        strong = (Strength.BEGAN, Strength.HELPED)
        return tuple(effect for effect in (*self.effects, *self.gone) if effect.strength in strong)

    @property
    def headline(self) -> str:
        """The whole in a few words for a person."""
        speaking = self.content_effects
        never = [effect.line.tokens for effect in speaking if effect.strength is Strength.NEVER]
        return (
            f"about {_count(self.tokens, 'token')} in every session; spoke to {_count(self.sessions, 'session')}; "
            f"never relevant: {len(never):,} of {_count(len(speaking), 'line')}, {_count(sum(never), 'token')}"
        )


def describe_effect(effect: Effect) -> str:
    """What the sessions tell about a line, in a sentence with its figures; never more than they can tell."""
    line, before, after = effect.line, effect.before, effect.after
    since = f"{line.born:%Y-%m-%d}{' or before' if line.since_known else ''}"
    if line.gone:
        who = f"A line that is gone (from {since} to {line.gone:%Y-%m-%d}, `{_short(line.text)}`)"
    else:
        who = f"Line {line.number} (since {since})"
    if effect.signature is None or before is None or after is None:
        return f"{who}: {effect.strength.value}."
    figures = [f"{_figure(effect.ratio)} times as often"] if effect.ratio is not None and isfinite(effect.ratio) else []
    if effect.interval is not None:
        low, high = effect.interval
        figures.append(f"95% {_figure(low)}" + (f"–{_figure(high)}" if isfinite(high) else " or more"))
    return (
        f"{who}: `{effect.signature.description}` came in {before.sessions:,} of {before.of:,} sessions before and "
        f"{after.sessions:,} of {after.of:,} {'while it stood' if line.gone else 'after'}"
        + (f" ({', '.join(figures)})." if figures else ".")
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _LONGEST else one[: _LONGEST - 1] + "…"


def _figure(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    if 0 < value < 0.01:
        return "under 0.01"
    return f"{value:.{1 if value >= 1 else 2}f}".rstrip("0").rstrip(".")


class InstructionSummary(Struct, frozen=True, kw_only=True):
    """What is to be said of an instruction file in a few words."""

    path: str
    tokens: int
    """What it costs in every session, about."""
    sessions: int
    speaking: tuple[Effect, ...]
    """Lines that something began or ended with, the strongest first; one of several lines that say the same."""
    unused_lines: int
    """Rules that were never relevant."""
    unused_tokens: int
    unused: tuple[int, ...] = ()
    """Where these rules stand, counted from 1."""


def line_subject(path: str, text: str) -> str:
    """What a decision about a line is kept under: no words of the file are."""
    return f"line:{_named(path, ' '.join(text.split()))}"


def file_subject(path: str) -> str:
    """What a decision about the rules of a file that were never relevant is kept under."""
    return f"file:{_named(path)}"


def _named(*texts: str) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
