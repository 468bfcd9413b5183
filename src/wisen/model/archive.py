"""The archive: what is kept of the logs of sessions, as far as its size and age matter."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from typing import NamedTuple

EVENT_BYTES = 300
"""What an event takes besides its text, with what makes it be found again: about that much was measured."""


class ArchivedSession(NamedTuple):
    """A session as the index holds it."""

    agent: str
    native: str
    segment: int
    context: str
    """The one in which most of it happened; empty outside of any."""
    last: datetime
    """When it last went on."""
    events: int
    size: int
    """In bytes, about."""
    waits: bool
    """Whether something in it was not mined yet."""

    @property
    def key(self) -> tuple[str, str, int]:
        """Tells it from others."""
        return self.agent, self.native, self.segment


class ArchiveUsage(NamedTuple):
    """How much is kept, and what the settings allow."""

    sessions: int
    size: int
    days: int
    megabytes: int
    """Of both, 0 stands for no limit."""
