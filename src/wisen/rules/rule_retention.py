"""Limits how many rules stay active: a rule that is no longer delivered becomes stale and is then archived in place.

A rule ages by measured deliveries only: one that was never measured, for example because a file contains it, does not.
Nothing is deleted here. Only a person removes a rule, and one that is delivered again is active again.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from wisen.rules.rule_page import State
    from wisen.rules.rule_text import RuleLine

GLOBAL_RULES = 300
GLOBAL_CORRECTIONS = 500
CONTEXT_RULES = 200
CONTEXT_CORRECTIONS = 300
"""How many lines of each file may be active."""
CONTEXT_STALE, GLOBAL_STALE = timedelta(days=45), timedelta(days=90)
"""After how long without a delivery a rule of a project, or a global one, is stale; after twice as long it is
archived."""

_WORTH = {"stale": 0, "pending": 1, "confirmed": 2}


def age_line(line: RuleLine, delivered: date | None, today: date, window: timedelta) -> RuleLine:
    """Return a line as of today; `delivered` is the day of its last delivery, None if that was never measured."""
    if delivered is None:
        return line
    used = max(filter(None, (delivered, line.last_used)))
    status: State = line.status
    if line.status == "confirmed" and today - used > window:
        status = "archived" if today - used > 2 * window else "stale"
    return replace(line, last_used=used, status=status)


def archive_excess(lines: Sequence[RuleLine], *, limit: int) -> tuple[RuleLine, ...]:
    """Return the same lines in the same order, some of them archived now.

    Archived and stale lines stay so; the caller reactivates a line that was used again.
    """
    kept = list(lines)
    active = [number for number, line in enumerate(kept) if line.status != "archived"]
    active.sort(key=lambda number: _usefulness(kept[number], number))
    for number in active[: max(0, len(active) - limit)]:
        kept[number] = replace(kept[number], status="archived")
    return tuple(kept)


def _usefulness(line: RuleLine, number: int) -> tuple[bool, int, int, int, int, int]:
    """Rank a line; the lowest is archived first: a person's own lines last, others by the sessions they helped in."""
    seen = line.last_used or line.created
    return not line.id, _WORTH[line.status], line.sessions, line.uses, seen.toordinal() if seen else 0, -number
