"""The one place that reads the machine's clock."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class SystemClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        return datetime.now(UTC)

    def elapsed(self) -> float:
        """Seconds on a clock that only goes forward."""
        return time.perf_counter()


def local(moment: datetime) -> datetime:
    """A moment as the clocks of this machine's place show it, summer time included."""
    return moment.astimezone()
