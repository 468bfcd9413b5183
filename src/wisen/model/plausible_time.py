"""Times that files and logs may name: only those with which every calculation stays within the calendar."""

from __future__ import annotations

from datetime import UTC, datetime

_OLDEST, _NEWEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def plausible_time(at: datetime | None) -> datetime | None:
    """Return a time if an agent can have run then; None for others, such as Go's zero time in year 1.

    Arithmetic with those would leave the range of datetime.
    """
    return at if at is not None and _OLDEST <= at <= _NEWEST else None


def nearest_time(seconds: float) -> datetime:
    """Return the plausible time that is nearest to so many seconds after 1970: a file may be dated in any year."""
    most = _NEWEST.timestamp()
    # A comparison with NaN is false.
    return datetime.fromtimestamp(min(seconds, most), UTC) if seconds > 0 else _OLDEST
