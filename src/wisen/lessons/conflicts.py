"""Of two entries that nobody stated the one that weighs more stands; where they weigh the same, a person decides.

Of what the user stated, the newest word wins, whatever it weighs (`supersede.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import MoveKind, Origin, Priority, Status, Who

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.ledger_port import Scribe

_PRIORITIES = {Priority.CRITICAL: 100, Priority.HIGH: 60, Priority.MEDIUM: 30, Priority.LOW: 10}
_AREAS = {"security": 50, "behavior": 40, "tooling": 30, "config": 20, "tests": 20, "docs": 10}
_RECURRENCE, _RECENT = 10, 30
OUTVOTED = "says the opposite, and weighs"
"""How the reason goes on where an entry lost against one that weighs more."""


def score(state: EntryState, now: datetime) -> int:
    """What an entry weighs: its priority, how often it came up, how new it is, and what it concerns."""
    recency = max(0, _RECENT - max(0, (now - state.last).days))
    area = _AREAS.get(state.entry.area, 0)
    return _PRIORITIES[state.priority] + _RECURRENCE * state.times + recency + area


def settled(states: Sequence[EntryState], now: datetime, scribe: Scribe) -> list[Move]:
    """The losers of conflicts between what nobody stated or approved."""
    by_id = {state.entry.id: state for state in states}
    lost: dict[str, Move] = {}
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is None or state.is_over or other.is_over or {state.entry.id, other.entry.id} & lost.keys():
                continue
            ours, theirs = score(state, now), score(other, now)
            if ours == theirs or not (_is_inferred(state) and _is_inferred(other)):
                continue
            loser, winner = (other, state) if ours > theirs else (state, other)
            why = f"{winner.entry.name} {OUTVOTED} {max(ours, theirs)} against {min(ours, theirs)}"
            lost[loser.entry.id] = scribe.move(loser.entry.id, MoveKind.STATUS, Status.WONT_FIX, why=why)
    return [*lost.values()]


def brought_back(states: Sequence[EntryState], moves: Sequence[Move], scribe: Scribe) -> list[Move]:
    """What the user stated and an earlier version of wisen gave up for what was said more often."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.STATUS}
    why = "what you stated is not outvoted"
    return [
        scribe.move(state.entry.id, MoveKind.STATUS, Status.PENDING, why=why)
        for state in states
        if state.entry.origin is Origin.STATED
        and state.status is Status.WONT_FIX
        and (move := last.get(state.entry.id)) is not None
        and move.by is Who.WISEN
        and OUTVOTED in move.why
    ]


def unsettled_entry_ids(states: Sequence[EntryState]) -> set[str]:
    """The entries in conflicts between what nobody stated and that weigh the same: a person has to decide first."""
    by_id = {state.entry.id: state for state in states}
    found = set[str]()
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is not None and not state.is_over and not other.is_over:
                found |= {each.entry.id for each in (state, other) if _is_inferred(state) and _is_inferred(other)}
    return found


def _is_inferred(state: EntryState) -> bool:
    """Whether nobody stated, confirmed or approved it."""
    pending = state.status is Status.PENDING and not state.confirmed
    return pending and state.entry.origin is not Origin.STATED
