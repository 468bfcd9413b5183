"""What is stored in the index for one batch of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

if TYPE_CHECKING:
    from wisen.model.event import Event
    from wisen.model.source import ReadProblem, Source, SourceMark


class FilteredEvent(NamedTuple):
    """An event that passed the event filter, with the filter's decisions."""

    event: Event
    context: str | None
    """The key of its context; None in the home directory, which is never a context."""
    withheld: str | None = None
    """The safety rule that kept its text from being stored."""


class IndexBatch(Struct, frozen=True, kw_only=True):
    """What is stored in the index for one batch of a source, in one transaction with the mark."""

    source: Source
    events: tuple[FilteredEvent, ...]
    problems: tuple[ReadProblem, ...]
    mark: SourceMark
    from_start: bool = False
    """Whether it is the first batch of a source read from its beginning: earlier problems of it no longer count."""
