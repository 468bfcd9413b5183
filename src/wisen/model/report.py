"""The report of a run, as values that every surface can show."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - msgspec needs it to decode
from datetime import datetime  # noqa: TC003 - msgspec needs it to decode
from typing import TYPE_CHECKING

from msgspec import Struct, field

from wisen.model.instruction import Strength

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wisen.model.failure import Signature
    from wisen.model.fix import FailureKind, Fix
    from wisen.model.instruction import Blame, Effect, InstructionSummary
    from wisen.model.signal import SignalKind, Theme
    from wisen.model.source import ReadProblemCount

MAX_DECISIONS = 3
SURE = 0.75
"""How often a fix must help to be worth delivering to agents."""
WORTH_DROPPING = 200
"""How many tokens of never relevant rules in one file make removing them worthwhile."""


class Selection(Struct, frozen=True, kw_only=True):
    """Which sessions a query covers: all of them unless narrowed."""

    under: Path | None = None
    """Only sessions with a source at this path or below it."""
    since: datetime | None = None
    """Only events from this moment on."""
    agent: str | None = None
    """Only sessions of this agent."""
    places: tuple[str, ...] = ()
    """Only sessions that worked in one of these directories or below; they are included whole."""
    sessions: frozenset[int] | None = None
    """Only these sessions, by their numbers in the index."""


class ToolUse(Struct, frozen=True, kw_only=True):
    """How calls of one tool ended."""

    tool: str
    calls: int
    ok: int
    failed: int
    masked: int
    cancelled: int
    rejected: int
    sessions: int

    @property
    def open(self) -> int:
        """Return the calls without a recorded outcome: interrupted, or still running when the log was read."""
        return self.calls - self.ok - self.failed - self.masked - self.cancelled - self.rejected


class Counts(Struct, frozen=True, kw_only=True):
    """Counts over the selected sessions."""

    sources: int
    sessions: int
    contexts: int
    typed_turns: int
    rejections: int
    rejections_with_reason: int
    interrupts: int
    interrupts_by_rejection: int
    """Interrupts that the agent recorded together with a rejected call."""
    tools: tuple[ToolUse, ...]
    withheld: Mapping[str, int]
    """Texts that were not stored because they held a secret, by rule."""
    first: datetime | None
    last: datetime | None


class OpenDecision(Struct, frozen=True, kw_only=True):
    """Something a person may want to decide: about a line that failures began with, a fix, or rules nobody needs."""

    line: Effect | None = None
    file: InstructionSummary | None = None
    """The file of the line, or the one with rules that were never relevant."""
    fix: Fix | None = None
    entry: str = ""
    """The name of the entry that approves the fix."""
    spares_ms: int = 0
    """The time that the failure has cost so far."""

    @property
    def unused_tokens(self) -> int:
        """Return the cost of never relevant rules in every session."""
        return self.file.unused_tokens if self.file is not None and self.line is None else 0


class RunFindings(Struct, kw_only=True):
    """What a run has found so far; the report is built from it."""

    began: datetime
    clock_began: float
    selection: Selection
    found: Mapping[str, int] = field(default_factory=dict)
    read_bytes: int = 0
    new_events: int = 0
    retired: int = 0
    reading_seconds: float = 0.0
    fixes: tuple[Fix, ...] = ()
    proposals: int = 0
    judged: tuple[Blame, ...] = ()
    instructions: tuple[InstructionSummary, ...] = ()
    warnings: list[str] = field(default_factory=list)
    waiting: tuple[str, ...] = ()

    def count_retired(self, sessions: int, events: int) -> None:
        """Count sessions that were retired, and those of their events that were new."""
        self.retired = sessions
        self.new_events -= events


class Report(Struct, frozen=True, kw_only=True):
    """The result of one run."""

    selection: Selection
    found: Mapping[str, int]
    """Sources found, by agent."""
    looked_in: tuple[str, ...]
    read_bytes: int
    new_events: int
    seconds: float
    reading_seconds: float
    """The part spent on reading and storing, without counting for the report; reported speeds are based on it."""
    counts: Counts
    failures: tuple[FailureKind, ...]
    fixes: tuple[Fix, ...]
    """Those reliable enough to be delivered."""
    undecided: Mapping[str, str] = field(default_factory=dict)
    """Fixes that the user has not decided about, each with the name of its entry."""
    signals: Mapping[SignalKind, int] = field(default_factory=dict)
    """In how many typed turns each kind of signal was detected."""
    themes: tuple[Theme, ...] = ()
    """What the user corrected or asked for, most sessions first."""
    proposals: int = 0
    """How many rules wait for the user's answer."""
    retired: int = 0
    """How many sessions were removed because of the age or size limits of the archive."""
    instructions: tuple[InstructionSummary, ...]
    """Summaries of the projects' instruction files, if there is anything to report; empty if nothing was new."""
    troubles: tuple[ReadProblemCount, ...]
    warnings: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    """Ownership questions for the user that were not reported before."""
    """`warnings`: sentences about what went wrong besides reading."""

    @property
    def decisions(self) -> tuple[OpenDecision, ...]:
        """Return the few things worth deciding now: lines that failures began with, then fixes, then unneeded rules."""
        lost = {kind.signature: kind.lost_ms for kind in self.failures}
        lines = decisions_about_lines(self.instructions, lost)
        blamed = {each.line.signature for each in lines if each.line is not None}
        sure = [
            fix
            for fix in self.fixes
            if fix.confidence >= SURE and fix.signature not in blamed and fix.id in self.undecided
        ]
        first = {fix.signature: fix for fix in reversed(sure)}
        fixes = [
            OpenDecision(fix=fix, entry=self.undecided[fix.id], spares_ms=int(fix.lost_ms * fix.confidence))
            for fix in first.values()
        ]
        unused = [OpenDecision(file=file) for file in self.instructions if file.unused_tokens >= WORTH_DROPPING]
        worth = [
            *sorted(lines, key=lambda each: -each.spares_ms),
            *sorted(fixes, key=lambda each: -each.spares_ms),
            *sorted(unused, key=lambda each: -each.unused_tokens),
        ]
        return tuple(worth[:MAX_DECISIONS])


def decisions_about_lines(
    files: Iterable[InstructionSummary], lost: Mapping[Signature, int] | None = None
) -> tuple[OpenDecision, ...]:
    """Return the open decisions about lines that failures began with."""
    return tuple(
        OpenDecision(line=effect, file=file, spares_ms=(lost or {}).get(effect.signature, 0))
        for file in files
        for effect in file.speaking
        if effect.strength is Strength.BEGAN and effect.signature is not None and effect.line.gone is None
    )
