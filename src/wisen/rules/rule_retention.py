"""How many rules stay and for how long: what was told once and then no longer grows stale, and is archived in place.

A rule ages by real deliveries alone: one of which none was ever measured, as where a file tells it, does not. Nothing
is ever dropped here. Only a person takes a rule away, and what is told again is in force again.
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
"""How many lines of each file may be in force."""
CONTEXT_STALE, GLOBAL_STALE = timedelta(days=45), timedelta(days=90)
"""For how long a rule of a project, or of all projects, may be told to no session before it is stale; twice as long,
and it is archived."""

_WORTH = {"stale": 0, "pending": 1, "confirmed": 2}


def aged(line: RuleLine, told: date | None, today: date, window: timedelta) -> RuleLine:
    """A line as of today; `told` is the day on which a session was last told it, None where that was never measured."""
    if told is None:
        return line
    used = max(filter(None, (told, line.last_used)))
    status: State = line.status
    if line.status == "confirmed" and today - used > window:
        status = "archived" if today - used > 2 * window else "stale"
    return replace(line, last_used=used, status=status)


def retained(lines: Sequence[RuleLine], *, limit: int) -> tuple[RuleLine, ...]:
    """The same lines in the same order, some of them archived now.

    What was archived or stale stays so; whoever knows of a new use says that it is in force again.
    """
    kept = list(lines)
    active = [number for number, line in enumerate(kept) if line.status != "archived"]
    active.sort(key=lambda number: _usefulness(kept[number], number))
    for number in active[: max(0, len(active) - limit)]:
        kept[number] = replace(kept[number], status="archived")
    return tuple(kept)


def _usefulness(line: RuleLine, number: int) -> tuple[bool, int, int, int, int, int]:
    """The lowest goes first: a person's own lines last, of the others the one that helped in most sessions."""
    seen = line.last_used or line.created
    return not line.id, _WORTH[line.status], line.sessions, line.uses, seen.toordinal() if seen else 0, -number
