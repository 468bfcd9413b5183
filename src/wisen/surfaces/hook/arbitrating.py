"""The one arbiter inside a turn: what of all that could be told now is told, under one budget per prompt and session.

The budget is what `delivery` wrote into what it published. What the user asks for themself is not counted.
"""

from __future__ import annotations

FIX, RULE, MOMENT, SAID = range(4)
"""What goes first where not everything fits."""
_PER_TOKEN = 3
"""Bytes of a token at least, so that a text never costs more than is counted."""
_MARKS = 20

Candidate = tuple[int, str, str]
"""Its rank, its id and its text."""


def cost(text: str) -> int:
    """About how many tokens a text takes at most."""
    return len(text.encode("utf-8", "surrogatepass")) // _PER_TOKEN + 1


def spent_with(pin: dict[str, object], text: str) -> int:
    """How many tokens a session was told beside its start, with one more text."""
    spent = pin.get("spent")
    return (spent if isinstance(spent, int) else 0) + cost(text)


def chosen(candidates: list[Candidate], budget: object, spent: object, most: int) -> list[tuple[str, str]]:
    """The candidates that are told, the most important first: at most so many, and none that does not fit whole."""
    left = _left(budget, spent)
    found: list[tuple[str, str]] = []
    for _, id_, text in sorted(candidates, key=lambda each: each[0]):
        takes = cost(text) + (0 if found else _MARKS)
        if len(found) < most and (left is None or takes <= left):
            found.append((id_, text))
            left = None if left is None else left - takes
    return found


def _left(budget: object, spent: object) -> int | None:
    """How many tokens may be told now; None where nothing is known of a budget."""
    if not isinstance(budget, dict):
        return None
    prompt, session = (budget.get(name) for name in ("prompt", "session"))
    used = spent if isinstance(spent, int) else 0
    limits = [each for each in (prompt,) if isinstance(each, int)]
    limits += [session - used] if isinstance(session, int) else []
    return min(limits) if limits else None
