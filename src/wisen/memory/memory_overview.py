"""Value types for the overview of what is stored for a project and in total."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.summary import DayLine


class Day(NamedTuple):
    """The daily log of one day."""

    day: str
    path: Path
    lines: tuple[DayLine, ...]


class MemoryCounts(NamedTuple):
    """How much is stored for a project, or in total."""

    sessions: int
    entries: int
    rules: int
    memories: int
    """How many memories can be found by recall."""


class MemoryOverview(NamedTuple):
    """What is stored for the project of a directory, and in total."""

    name: str
    """The name of the project; empty outside of any."""
    here: MemoryCounts
    everywhere: MemoryCounts
    days: tuple[Day, ...]
    summaries: tuple[Path, ...]
