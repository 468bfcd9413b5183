"""Instruction files (CLAUDE.md, AGENTS.md and the like), the history of their lines, and the effect of each line."""

from __future__ import annotations

import re
from datetime import datetime  # noqa: TC003 - as below
from enum import StrEnum
from hashlib import blake2b
from math import isfinite

from msgspec import Struct

from wisen.model.failure import Signature  # noqa: TC001 - judgments are decoded from JSON by their field types

_FENCE = re.compile(r"`{3,}(?=[^`]*\Z)|~{3,}")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_WORD = re.compile(r"\w")
_MAX_QUOTE = 80


class Version(Struct, frozen=True, kw_only=True):
    """The content of a file from a moment on."""

    at: datetime
    text: str
    origin: str
    """The commit that introduced it, `snapshot` if `learn` saw it, or `file` if it is only on disk."""


class InstructionFile(Struct, frozen=True, kw_only=True):
    """A file that agents read before they work, with its known history."""

    path: str
    root: str
    """The directory whose sessions read it; empty for a user-level file that all sessions read."""
    versions: tuple[Version, ...]
    """Oldest first."""


class InstructionLine(Struct, frozen=True, kw_only=True):
    """One line through all its moves and rewordings."""

    number: int
    """The current line number, from 1; 0 if it is gone."""
    text: str
    """As it was last written."""
    born: datetime
    since_known: bool
    """Whether it was already there at the start of the history: its true beginning is unknown."""
    gone: datetime | None
    heading: str
    """The heading above it."""
    tokens: int
    """Its approximate cost in every session."""
    rule: bool
    """Whether it asks for something instead of only informing."""
    words: tuple[str, ...]
    """The commands, tools and files it names."""
    against: tuple[str, ...]
    """Those among them that it forbids."""


class Rate(Struct, frozen=True, kw_only=True):
    """A number of sessions out of a total."""

    sessions: int
    of: int


class Strength(StrEnum):
    """How strong the observed effect is; none of it is proof, which only a trial gives."""

    BEGAN = "began with this line"
    HELPED = "likely helped"
    NO_TRACE = "no trace either way"
    TOO_EARLY = "too early to tell"
    NEVER = "never relevant"


SIGNIFICANT = (Strength.BEGAN, Strength.HELPED)
"""The effects of a line that are worth telling."""


class Effect(Struct, frozen=True, kw_only=True):
    """What the sessions show about one line."""

    line: InstructionLine
    strength: Strength
    under: int
    """Sessions that began while it was in the file."""
    relevant: int
    """Those that did something it is about, whatever the result."""
    followed: int
    """Those that did what it asks for, if that can be determined."""
    violated: int
    """Those that did what it forbids."""
    signature: Signature | None = None
    """The failure that it is about, if the strength refers to one."""
    before: Rate | None = None
    after: Rate | None = None
    ratio: float | None = None
    """After relative to before, corrected for the overall trend."""
    interval: tuple[float, float] | None = None
    """Its 95% interval."""
    chance: float | None = None
    """The probability that chance alone has such an effect, over all lines."""
    calls: tuple[str, ...] = ()
    """The failing calls, newest last."""


class Blame(Struct, frozen=True, kw_only=True):
    """An instruction file with what the sessions show about its lines."""

    file: InstructionFile
    effects: tuple[Effect, ...]
    """For every current line of the file, in order."""
    gone: tuple[Effect, ...]
    """For removed lines that had an effect."""
    sessions: int
    """How many sessions read it."""

    @property
    def tokens(self) -> int:
        """Return the approximate cost of the whole file in every session."""
        return sum(effect.line.tokens for effect in self.effects)

    @property
    def content_effects(self) -> tuple[Effect, ...]:
        """Return the effects of lines with content: code in a fence counts; blank lines, headings and fences do not."""
        effects, fence = [], ""
        for effect in self.effects:
            text = effect.line.text.strip()
            mark = _FENCE.match(text)
            if mark and not fence:
                fence = mark[0]
            elif fence and text.startswith(fence) and not text.strip(fence[0]):
                fence = ""
            elif _WORD.search(text) and (fence or not _HEADING.match(text)):
                effects.append(effect)
        return tuple(effects)

    @property
    def strong_effects(self) -> tuple[Effect, ...]:
        """Return the effects of lines with which a failure began or that likely helped; current lines first."""
        strong = (Strength.BEGAN, Strength.HELPED)
        return tuple(effect for effect in (*self.effects, *self.gone) if effect.strength in strong)

    @property
    def headline(self) -> str:
        """Return a one-line summary for a person."""
        speaking = self.content_effects
        never = [effect.line.tokens for effect in speaking if effect.strength is Strength.NEVER]
        return (
            f"about {_count(self.tokens, 'token')} in every session; present in {_count(self.sessions, 'session')}; "
            f"never relevant: {len(never):,} of {_count(len(speaking), 'line')}, {_count(sum(never), 'token')}"
        )


def describe_effect(effect: Effect) -> str:
    """Describe what the sessions show about a line, in one sentence with figures, without overstating it."""
    line, before, after = effect.line, effect.before, effect.after
    since = f"{line.born:%Y-%m-%d}{' or before' if line.since_known else ''}"
    if line.gone:
        subject = f"A line that is gone (from {since} to {line.gone:%Y-%m-%d}, `{_short(line.text)}`)"
    else:
        subject = f"Line {line.number} (since {since})"
    if effect.signature is None or before is None or after is None:
        return f"{subject}: {effect.strength.value}."
    figures = [f"{_figure(effect.ratio)} times as often"] if effect.ratio is not None and isfinite(effect.ratio) else []
    if effect.interval is not None:
        low, high = effect.interval
        figures.append(f"95% {_figure(low)}" + (f"–{_figure(high)}" if isfinite(high) else " or more"))
    return (
        f"{subject}: `{effect.signature.description}` came in {before.sessions:,} of {before.of:,} sessions before and "
        f"{after.sessions:,} of {after.of:,} {'while it stood' if line.gone else 'after'}"
        + (f" ({', '.join(figures)})." if figures else ".")
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_QUOTE else line[: _MAX_QUOTE - 1] + "…"


def _figure(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    if 0 < value < 0.01:
        return "under 0.01"
    return f"{value:.{1 if value >= 1 else 2}f}".rstrip("0").rstrip(".")


class InstructionSummary(Struct, frozen=True, kw_only=True):
    """A short summary of an instruction file."""

    path: str
    tokens: int
    """Its approximate cost in every session."""
    sessions: int
    speaking: tuple[Effect, ...]
    """Lines with which something began or ended, the strongest first; one of several equivalent lines."""
    unused_lines: int
    """How many rules were never relevant."""
    unused_tokens: int
    unused: tuple[int, ...] = ()
    """The line numbers of these rules, from 1."""


def line_subject(path: str, text: str) -> str:
    """Return the subject of decisions about a line: a digest, because no text of the file is stored."""
    return f"line:{_digest(path, ' '.join(text.split()))}"


def file_subject(path: str) -> str:
    """Return the subject of decisions about a file's rules that were never relevant."""
    return f"file:{_digest(path)}"


def _digest(*texts: str) -> str:
    return blake2b("\0".join(texts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()
