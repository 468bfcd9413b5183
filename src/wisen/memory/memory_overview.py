"""How much is kept of a project and of all, layer by layer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.summary import DayLine


class Day(NamedTuple):
    """A day as it is kept."""

    day: str
    path: Path
    lines: tuple[DayLine, ...]


class MemoryCounts(NamedTuple):
    """How much is kept of a project, or of all."""

    sessions: int
    entries: int
    rules: int
    memories: int
    """What can be found again."""


class MemoryOverview(NamedTuple):
    """What is kept of the project that a directory belongs to, and of all, layer by layer."""

    name: str
    """What the project is called; empty outside of any."""
    here: MemoryCounts
    everywhere: MemoryCounts
    days: tuple[Day, ...]
    summaries: tuple[Path, ...]
