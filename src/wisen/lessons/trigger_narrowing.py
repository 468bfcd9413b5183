"""Backtests new triggers of lessons on the recorded past, once each, before any reminder uses them."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.mining.trigger_backtest import TriggerOptions, narrow_triggers
from wisen.mining.triggers import find_triggers
from wisen.model.entry import MoveKind
from wisen.model.entry_state import encode_trigger
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.directive import Trigger
    from wisen.model.entry import Move, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.model.history import History
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

PAST = timedelta(days=180)
"""How far back a trigger is backtested."""
_RARE = "such calls were made in few sessions"
_NARROWED = "narrowed: such calls were made in too many sessions"
_SILENCED = "silenced: such calls are made all the time"
_TRIED = (_RARE, _NARROWED, _SILENCED)


def narrow_new_triggers(home: Home, known: KnownEntries) -> list[Move]:
    """Return the trigger of each new lesson from now on, as narrowed by the past; empty if no trigger is new."""
    last = {move.subject: move.why for move in known.moves if move.kind is MoveKind.TRIGGER}
    new = [each for each in known.states if each.trigger is not None and last.get(each.entry.id) not in _TRIED]
    if not new:
        return []
    newest = home.index.events.counts(Selection()).last or home.clock.now()

    def past() -> Iterator[History]:
        return home.index.events.histories(Selection(since=newest - PAST))

    tried = _trigger_options(home, new, past())
    found = narrow_triggers(tried, past())
    moves = []
    for state in new:
        trigger = found.get(state.entry.id)
        why = _RARE if trigger == state.trigger else _NARROWED if trigger else _SILENCED
        moves.append(home.row_factory.build_move(state.entry.id, MoveKind.TRIGGER, encode_trigger(trigger), why=why))
    return moves


def _trigger_options(home: Home, new: Sequence[EntryState], past: Iterator[History]) -> list[TriggerOptions]:
    """Return the words that may trigger each lesson, read from where it was said; the recorded ones if that is gone."""
    said: dict[tuple[str, str], list[tuple[EntryState, Occurrence]]] = {}
    found: dict[str, TriggerOptions] = {}
    for state in new:
        seen = home.ledger.occurrences.of(state.entry.id)
        source = (seen[-1].agent, seen[-1].session) if seen else ("", "")
        options: tuple[Trigger, ...] = (state.trigger,) if state.trigger else ()
        found[state.entry.id] = TriggerOptions(state.entry.id, state.context, source, options)
        if seen:
            said.setdefault(source, []).append((state, seen[-1]))
    for history in past if said else ():
        for state, occurrence in said.get((history.agent, history.native), ()):
            turn = next((each for each in history.turns if each.id == occurrence.message), None)
            options = tuple(find_triggers(history, turn, turn.text or "")) if turn else ()
            if state.trigger in options:
                found[state.entry.id] = found[state.entry.id]._replace(options=options)
    return [*found.values()]
