"""How many rules stay: what a full file needs least is archived. None ages, as long as use is not measured.

Nothing is ever dropped here. Only a person takes a rule away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.rules.rule_text import RuleLine

GLOBAL_RULES = 300
GLOBAL_CORRECTIONS = 500
CONTEXT_RULES = 200
CONTEXT_CORRECTIONS = 300
"""How many lines of each file may be in force."""

_WORTH = {"stale": 0, "pending": 1, "confirmed": 2}


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
