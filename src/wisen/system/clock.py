"""The only module that reads the machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Return seconds on a monotonic clock."""
        return time.perf_counter()


def to_local_time(moment: datetime) -> datetime:
    """Convert a moment to this machine's time zone, daylight saving time included."""
    return moment.astimezone()
