"""The options of one run of the cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wisen.model.error_boundaries import ErrorBoundaries
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of one run."""

    selection: Selection = field(default_factory=Selection)
    progress: Callable[[int, int], None] = lambda _done, _total: None
    boundaries: ErrorBoundaries = field(default_factory=ErrorBoundaries)
    """Isolates a failure to one source, session, project or step; every run gets a new one."""
    warnings: tuple[str, ...] = ()
    recheck: bool = False
    """Whether to read and compare every byte again instead of trusting file sizes and dates."""
    jobs: int = 0
    """How many processes read logs; 0 decides by the amount to read."""
    judge: bool | None = None
    """Whether to judge instruction files; None judges them when sessions have new events."""
    asks_user: bool = False
    """Whether the user reads the report: it then asks, once, what only the user can decide."""
