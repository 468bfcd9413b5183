"""Archived sessions and how much space they take, for the retention limits."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from typing import NamedTuple

EVENT_BYTES = 300
"""Measured average size of an event besides its text, search index included."""


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


class ArchiveUsage(NamedTuple):
    """The size of the archive and the limits in the settings."""

    sessions: int
    size: int
    days: int
    megabytes: int
    """For both limits, 0 means no limit."""
