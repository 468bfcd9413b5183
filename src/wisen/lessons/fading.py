"""Fades entries that are not seen again: lower priority after a month, closed after three. A stated rule stays.

Coming up again, being used, praise, and a person's decision restart the clock. Nothing is deleted: an entry closed by
age reopens when it is seen again.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.entry import JUDGED_PREFIX, REMOVED_PREFIX, Actor, EntryStatus, MoveKind, Priority
from wisen.text.entry_standing import is_standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory

DEMOTED, STALE, CLOSED = timedelta(days=30), timedelta(days=60), timedelta(days=90)
MAX_OPEN_ENTRIES = 1_000
"""How many entries of one context stay open; the least useful beyond that are closed."""
_LOWER = {
    Priority.CRITICAL: Priority.HIGH,
    Priority.HIGH: Priority.MEDIUM,
    Priority.MEDIUM: Priority.LOW,
    Priority.LOW: Priority.LOW,
}


def fade_entries(states: Sequence[EntryState], moves: Iterable[Move], now: datetime, factory: RowFactory) -> list[Move]:
    """Return what age decides about entries."""
    by_entry: dict[str, list[Move]] = defaultdict(list)
    for move in moves:
        by_entry[move.subject].append(move)
    fading: list[Move] = []
    for state in states:
        fading += _fade_entry(state, by_entry[state.entry.id], now, factory)
    return [*fading, *_close_excess(states, {move.subject for move in fading}, now, factory)]


def _fade_entry(state: EntryState, moves: Sequence[Move], now: datetime, factory: RowFactory) -> Iterator[Move]:
    id_, last = state.entry.id, next((move for move in reversed(moves) if move.kind is MoveKind.STATUS), None)
    was_closed = (
        state.status is EntryStatus.WONT_FIX
        and last is not None
        and (last.by is Actor.WISEN or last.why.startswith(REMOVED_PREFIX))
    )
    if was_closed and last is not None and state.last > last.at and not last.why.startswith(JUDGED_PREFIX):
        yield factory.build_move(id_, MoveKind.STATUS, EntryStatus.PENDING, why="it came up again")
        return
    if state.is_over or state.status is not EntryStatus.PENDING or _is_permanent(state):
        return
    touched = (move.at for move in moves if move.by is Actor.USER or move.kind is MoveKind.CITE)
    since = max(state.last, state.entry.at, *touched, *(row.at for row in state.praises))
    unseen = now - since
    lowered = sum(move.kind is MoveKind.PRIORITY and move.by is Actor.WISEN and move.at >= since for move in moves)
    if unseen > CLOSED:
        yield factory.build_move(id_, MoveKind.STATUS, EntryStatus.WONT_FIX, why=f"not seen for {unseen.days} days")
    elif unseen > STALE and state.priority is not Priority.LOW:
        yield factory.build_move(id_, MoveKind.PRIORITY, Priority.LOW, why=f"stale: not seen for {unseen.days} days")
    elif unseen > DEMOTED and not lowered and state.priority is not Priority.LOW:
        yield factory.build_move(id_, MoveKind.PRIORITY, _LOWER[state.priority], why=f"not seen for {unseen.days} days")


def _is_permanent(state: EntryState) -> bool:
    """Whether a person said that it is a rule."""
    return is_standing(state)


def _close_excess(states: Sequence[EntryState], over: set[str], now: datetime, factory: RowFactory) -> Iterator[Move]:
    """Close the least useful entries of a context that has too many."""
    at_work: dict[str, list[EntryState]] = defaultdict(list)
    for state in states:
        if not state.is_over and state.status is EntryStatus.PENDING and state.entry.id not in over:
            at_work[state.context].append(state)
    for found in at_work.values():
        found.sort(key=lambda state: (_is_permanent(state), state.weight(now), state.last, state.entry.id))
        for state in found[: max(0, len(found) - MAX_OPEN_ENTRIES)]:
            if not _is_permanent(state):
                yield factory.build_move(
                    state.entry.id,
                    MoveKind.STATUS,
                    EntryStatus.WONT_FIX,
                    why=f"more than {MAX_OPEN_ENTRIES:,} entries in its context",
                )
