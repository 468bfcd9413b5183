"""Closes entries that earlier versions recorded and that are not lessons but remarks; recall still finds them.

Earlier versions took every correction for a lesson. Those that nobody decided about, and that say nothing to do, are
closed once. Nothing is lost: recall finds the turn, a person can set the entry to pending again, and what is stated
again as a lesson reopens by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Actor, Category, EntryOrigin, EntryStatus, EntryType, MoveKind
from wisen.text.entry_standing import is_lesson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory

REMARK = "a remark: it is still found by recall"
"""Why an entry was closed."""
_LESSONS = (Category.CORRECTION, Category.PREFERENCE)


def close_remarks(states: Sequence[EntryState], moves: Iterable[Move], factory: RowFactory) -> list[Move]:
    """Return the moves that close remarks of earlier versions, and that reopen what was stated again since."""
    closed: dict[str, Move] = {}
    decided: set[str] = set()
    for move in moves:
        if move.kind is MoveKind.STATUS and move.by is Actor.WISEN and move.why == REMARK:
            closed[move.subject] = move
        elif move.by is Actor.USER:
            decided.add(move.subject)
    return [*_close(states, closed.keys() | decided, factory), *_reopen(states, closed, factory)]


def _close(states: Iterable[EntryState], known: set[str], factory: RowFactory) -> Iterator[Move]:
    for state in states:
        entry = state.entry
        is_old = entry.origin is EntryOrigin.STATED and entry.standing is None and entry.type is EntryType.LEARNING
        is_open = state.status is EntryStatus.PENDING and not state.is_over and not state.confirmed
        if is_old and is_open and entry.category in _LESSONS and entry.id not in known and not is_lesson(state):
            yield factory.build_move(entry.id, MoveKind.STATUS, EntryStatus.RESOLVED, why=REMARK)


def _reopen(states: Iterable[EntryState], closed: dict[str, Move], factory: RowFactory) -> Iterator[Move]:
    for state in states:
        move = closed.get(state.entry.id)
        if move is not None and state.status is EntryStatus.RESOLVED and state.last > move.at:
            yield factory.build_move(
                state.entry.id, MoveKind.STATUS, EntryStatus.PENDING, why="it was said again, as a lesson"
            )
