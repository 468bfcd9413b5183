"""What a turn of the loop found, as values that every surface can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from wisen.domain.fixes import FailureKind, Fix
    from wisen.domain.sources import TroubleCount


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which sessions a question is about: all of them unless narrowed."""

    under: Path | None = None
    """Only sessions that a source in this file or folder holds."""
    since: datetime | None = None
    """Only events from this moment on."""
    agent: str | None = None
    """Only sessions of this agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
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
        """Calls whose end is not recorded: interrupted, or still running when the log was read."""
        return self.calls - self.ok - self.failed - self.masked - self.cancelled - self.rejected


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the selected sessions hold."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The result of one turn of the loop."""

    selection: Selection
    found: Mapping[str, int]
    """Sources found, by agent."""
    looked_in: tuple[str, ...]
    read_bytes: int
    new_events: int
    seconds: float
    reading_seconds: float
    """The part of them that went into reading and storing, without counting for the report; speeds are told of it."""
    counts: Counts
    failures: tuple[FailureKind, ...]
    fixes: tuple[Fix, ...]
    """Those that are known well enough to be told."""
    troubles: tuple[TroubleCount, ...]
    warnings: tuple[str, ...] = ()
    """What went wrong beside the reading, in sentences for a person."""
