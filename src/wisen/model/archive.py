"""Archived sessions and how much space they take, for the retention limits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

EVENT_BYTES = 250
"""Measured size of an event besides its text, search index included: 180 to 270 bytes."""
_YEAR = timedelta(days=365)
_SHORTEST = timedelta(days=7)
"""A shorter time says nothing about the pace."""


class ArchivedSession(NamedTuple):
    """A session that the index holds."""

    agent: str
    native: str
    segment: int
    context: str
    """The key of the context in which most of it happened; empty outside of any."""
    last: datetime
    """When its last event happened."""
    events: int
    size: int
    """Approximate size in bytes."""
    waits: bool
    """Whether part of it has not been mined yet."""
    number: int = 0
    """Its number in the index."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Return the key that identifies the session."""
        return self.agent, self.native, self.segment


class ArchiveSize(NamedTuple):
    """The total of all sessions that the index holds."""

    sessions: int
    events: int
    size: int
    """Approximate size in bytes."""
    first: datetime | None
    last: datetime | None
    """When the first and the last event happened; None if there are none."""
    idle_since: datetime | None = None
    """When the session that was idle for the longest time was last active."""


class ArchiveUsage(Struct, frozen=True, kw_only=True):
    """The size of the archive and the limits in the settings."""

    sessions: int
    size: int
    """Approximate size of the sessions in bytes, to which the limit applies."""
    days: int
    megabytes: int
    """For both limits, 0 means no limit."""
    events: int = 0
    first: datetime | None = None
    last: datetime | None = None
    """When the first and the last event happened."""
    disk: int = 0
    """How many bytes the stores and their backups take on disk, with everything that was learned."""
    yearly: int = 0
    """How many bytes a year come to it at the pace since the first event; 0 if that is less than a week ago."""


def yearly_growth(size: ArchiveSize) -> int:
    """Return how many bytes a year come to the archive at the pace until now; 0 where that is not known yet."""
    if size.first is None or size.last is None or size.last - size.first < _SHORTEST:
        return 0
    return round(size.size * (_YEAR / (size.last - size.first)))
