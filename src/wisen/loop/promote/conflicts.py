"""Of two entries that say the opposite the one that weighs more stands; where they weigh the same, a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.domain.entries import MoveKind, Priority, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.domain.entries import Move
    from wisen.domain.entry_states import EntryState
    from wisen.ports import Scribe

_PRIORITIES = {Priority.CRITICAL: 100, Priority.HIGH: 60, Priority.MEDIUM: 30, Priority.LOW: 10}
_AREAS = {"security": 50, "behavior": 40, "tooling": 30, "config": 20, "tests": 20, "docs": 10}
_RECURRENCE, _RECENT = 10, 30


def score(state: EntryState, now: datetime) -> int:
    """What an entry weighs: its priority, how often it came up, how new it is, and what it concerns."""
    recency = max(0, _RECENT - max(0, (now - state.last).days))
    area = _AREAS.get(state.entry.area, 0)
    return _PRIORITIES[state.priority] + _RECURRENCE * state.times + recency + area


def settled(states: Sequence[EntryState], now: datetime, scribe: Scribe) -> list[Move]:
    """The losers of conflicts that can be decided. What a person approved is never taken from him that way."""
    by_id = {state.entry.id: state for state in states}
    lost: dict[str, Move] = {}
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is None or state.is_over or other.is_over or {state.entry.id, other.entry.id} & lost.keys():
                continue
            ours, theirs = score(state, now), score(other, now)
            pending = state.status is Status.PENDING and other.status is Status.PENDING
            if ours == theirs or not pending or state.confirmed or other.confirmed:
                continue
            loser, winner = (other, state) if ours > theirs else (state, other)
            why = f"{winner.entry.name} says the opposite, and weighs {max(ours, theirs)} against {min(ours, theirs)}"
            lost[loser.entry.id] = scribe.move(loser.entry.id, MoveKind.STATUS, Status.WONT_FIX, why=why)
    return [*lost.values()]
