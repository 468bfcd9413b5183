"""The options of one run of the cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct, field

from wisen.model.error_boundaries import ErrorBoundaries
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]


def _show_nothing(done: int, total: int) -> None:
    """Ignore the progress."""


class RunProgress(Struct, frozen=True, kw_only=True):
    """Where a run reports its progress: how much is done, and how much there is in all."""

    reading: Progress = _show_nothing
    """In bytes of logs."""
    analysis: Progress = _show_nothing
    """In sessions."""


def as_run_progress(progress: RunProgress | Progress | None) -> RunProgress:
    """Return where to report the progress of a run; a function is told about reading only."""
    if progress is None or isinstance(progress, RunProgress):
        return progress or RunProgress()
    return RunProgress(reading=progress)


class RunOptions(Struct, frozen=True, kw_only=True):
    """Options of one run."""

    selection: Selection = field(default_factory=Selection)
    progress: RunProgress = field(default_factory=RunProgress)
    boundaries: ErrorBoundaries = field(default_factory=ErrorBoundaries)
    """Isolates a failure to one source, session, project or step; every run gets a new one."""
    warnings: tuple[str, ...] = ()
    recheck: bool = False
    """Whether to read and compare every byte again instead of trusting file sizes and dates."""
    jobs: int = 0
    """How many processes read logs and analyze sessions; 0 decides by the amount."""
    judge: bool | None = None
    """Whether to judge instruction files; None judges them when sessions have new events."""
    asks_user: bool = False
    """Whether the user reads the report: it then asks, once, what only the user can decide."""
