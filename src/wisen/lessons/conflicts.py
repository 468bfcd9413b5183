"""Settles conflicts between inferred entries: the one that scores higher wins; on a tie, a person decides.

Between entries that the user stated, the newest wins, whatever its score (`newest_statement.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Actor, EntryOrigin, EntryStatus, MoveKind, Priority
from wisen.model.entry_state import is_inferred

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory

_PRIORITIES = {Priority.CRITICAL: 100, Priority.HIGH: 60, Priority.MEDIUM: 30, Priority.LOW: 10}
_AREAS = {"security": 50, "behavior": 40, "tooling": 30, "config": 20, "tests": 20, "docs": 10}
_RECURRENCE, _RECENT = 10, 30
OUTVOTED = "says the opposite, and weighs"
"""Part of the reason stored for an entry that lost to one with a higher score."""


def score(state: EntryState, now: datetime) -> int:
    """Score an entry: its priority, how often and how recently it came up, and its area."""
    recency = max(0, _RECENT - max(0, (now - state.last).days))
    area = _AREAS.get(state.entry.area, 0)
    return _PRIORITIES[state.priority] + _RECURRENCE * state.times + recency + area


def settle_conflicts(states: Sequence[EntryState], now: datetime, factory: RowFactory) -> list[Move]:
    """Return the moves that close the losers of conflicts between entries that nobody stated or approved."""
    by_id = {state.entry.id: state for state in states}
    lost: dict[str, Move] = {}
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is None or state.is_over or other.is_over or {state.entry.id, other.entry.id} & lost.keys():
                continue
            ours, theirs = score(state, now), score(other, now)
            if ours == theirs or not (is_inferred(state) and is_inferred(other)):
                continue
            loser, winner = (other, state) if ours > theirs else (state, other)
            why = f"{winner.entry.name} {OUTVOTED} {max(ours, theirs)} against {min(ours, theirs)}"
            lost[loser.entry.id] = factory.build_move(loser.entry.id, MoveKind.STATUS, EntryStatus.WONT_FIX, why=why)
    return [*lost.values()]


def restore_outvoted(states: Sequence[EntryState], moves: Sequence[Move], factory: RowFactory) -> list[Move]:
    """Return the moves that reopen what the user stated and an earlier version outvoted."""
    last = {move.subject: move for move in moves if move.kind is MoveKind.STATUS}
    why = "what you stated is not outvoted"
    return [
        factory.build_move(state.entry.id, MoveKind.STATUS, EntryStatus.PENDING, why=why)
        for state in states
        if state.entry.origin is EntryOrigin.STATED
        and state.status is EntryStatus.WONT_FIX
        and (move := last.get(state.entry.id)) is not None
        and move.by is Actor.WISEN
        and OUTVOTED in move.why
    ]
