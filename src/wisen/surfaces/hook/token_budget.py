"""Selects what is delivered inside a turn, under one token budget per prompt and per session.

`delivery` writes the budget into the snapshots. What the user asks for is not counted.
"""

from __future__ import annotations

FIX, RULE, MOMENT, SAID, WORKFLOW = range(5)
"""Priorities, if not everything fits."""
_PER_TOKEN = 3
"""The minimum of bytes per token, so that a text never costs more than is counted."""
_MARKS = 20

Candidate = tuple[int, str, str]
"""Its rank, its id and its text."""


def token_cost(text: str) -> int:
    """Return the maximum number of tokens of a text, roughly."""
    return len(text.encode("utf-8", "surrogatepass")) // _PER_TOKEN + 1


def spent_with(pin: dict[str, object], text: str) -> int:
    """Return how many tokens a session received besides its start, including one more text."""
    spent = pin.get("spent")
    return (spent if isinstance(spent, int) else 0) + token_cost(text)


def select(candidates: list[Candidate], budget: object, spent: object, most: int) -> list[tuple[str, str]]:
    """Select the candidates to deliver, the most important first: at most `most`, and only whole texts."""
    left = _remaining(budget, spent)
    selected: list[tuple[str, str]] = []
    for _, id_, text in sorted(candidates, key=lambda each: each[0]):
        tokens = token_cost(text) + (0 if selected else _MARKS)
        if len(selected) < most and (left is None or tokens <= left):
            selected.append((id_, text))
            left = None if left is None else left - tokens
    return selected


def _remaining(budget: object, spent: object) -> int | None:
    """Return how many tokens may be delivered now; None if there is no budget."""
    if not isinstance(budget, dict):
        return None
    prompt, session = (budget.get(name) for name in ("prompt", "session"))
    used = spent if isinstance(spent, int) else 0
    limits = [each for each in (prompt,) if isinstance(each, int)]
    limits += [session - used] if isinstance(session, int) else []
    return min(limits) if limits else None
