"""What one batch of a source leaves in the index, and each event of it that passed the filter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wisen.model.event import Event
    from wisen.model.source import ReadProblem, Source, SourceMark


class FilteredEvent(NamedTuple):
    """An event that passed the filter, with what was decided about it there."""

    event: Event
    context: str | None
    """The key of its context; None in the home directory, which is never one."""
    withheld: str | None = None
    """The safety rule for which its text was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexBatch:
    """What one batch of a source leaves in the index, written together with the mark or not at all."""

    source: Source
    events: tuple[FilteredEvent, ...]
    problems: tuple[ReadProblem, ...]
    mark: SourceMark
    from_start: bool = False
    """The first batch of a source that is read from its beginning: earlier troubles of it no longer count."""
