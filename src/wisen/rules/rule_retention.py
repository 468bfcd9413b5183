"""How long rules stay: what is not used grows stale, then is archived, and so is what a full file needs least.

Nothing is ever dropped here. Only a person takes a rule away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from wisen.rules.rule_text import RuleLine

GLOBAL_RULES = 300
GLOBAL_CORRECTIONS = 500
CONTEXT_RULES = 200
CONTEXT_CORRECTIONS = 300
"""How many lines of each file may be in force."""
GLOBAL_STALE_DAYS = 90
CONTEXT_STALE_DAYS = 45
"""After how many days without use a rule is stale; after as many more it is archived."""

_WORTH = {"stale": 0, "pending": 1, "confirmed": 2}


def retained(lines: Sequence[RuleLine], *, limit: int, stale_days: int, today: date) -> tuple[RuleLine, ...]:
    """The same lines in the same order, some of them stale or archived now.

    A line that was neither dated nor used does not grow old: a person wrote it. What was archived or stale stays so;
    whoever knows of a new use says that it is in force again.
    """
    aged = [_aged(line, stale_days, today) for line in lines]
    active = [number for number, line in enumerate(aged) if line.status != "archived"]
    active.sort(key=lambda number: _usefulness(aged[number], number))
    for number in active[: max(0, len(active) - limit)]:
        aged[number] = replace(aged[number], status="archived")
    return tuple(aged)


def _aged(line: RuleLine, stale_days: int, today: date) -> RuleLine:
    used = line.last_used or line.created
    if line.status == "archived" or used is None:
        return line
    idle = (today - used).days
    if idle >= 2 * stale_days:
        return replace(line, status="archived")
    return replace(line, status="stale") if idle >= stale_days else line


def _usefulness(line: RuleLine, number: int) -> tuple[bool, int, int, int, int, int]:
    """The lowest goes first: a person's own lines last, of the others the one that helped in most sessions."""
    seen = line.last_used or line.created
    return not line.id, _WORTH[line.status], line.sessions, line.uses, seen.toordinal() if seen else 0, -number
