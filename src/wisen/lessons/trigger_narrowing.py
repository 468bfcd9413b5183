"""Backtests new triggers of lessons on the recorded past, once each, before any reminder uses them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.mining.trigger_backtest import TriggerOptions, narrow_triggers
from wisen.mining.triggers import find_triggers
from wisen.model.context import EVERYWHERE
from wisen.model.entry import MoveKind
from wisen.model.entry_state import encode_trigger
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from wisen.model.directive import Trigger
    from wisen.model.entry import Move, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.model.history import History
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

MAX_SESSIONS = 100
"""In how many sessions of its project, the newest, a trigger is backtested: enough to know their share."""
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
    found = narrow_triggers(_trigger_options(home, new), _past_sessions(home, {each.context for each in new}))
    moves = []
    for state in new:
        trigger = found.get(state.entry.id)
        why = _RARE if trigger == state.trigger else _NARROWED if trigger else _SILENCED
        moves.append(home.row_factory.build_move(state.entry.id, MoveKind.TRIGGER, encode_trigger(trigger), why=why))
    return moves


def _past_sessions(home: Home, contexts: Collection[str]) -> Iterator[History]:
    """Yield the newest sessions of each project, and of all for what holds everywhere: enough to know what is rare."""
    numbers = frozenset[int]()
    for context in contexts:
        numbers |= home.index.sessions.newest(None if context == EVERYWHERE else context, MAX_SESSIONS)
    return home.index.events.histories(Selection(sessions=numbers)) if numbers else iter(())


def _trigger_options(home: Home, new: Sequence[EntryState]) -> list[TriggerOptions]:
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
    numbers = home.index.sessions.numbers_of(said)
    for history in home.index.events.histories(Selection(sessions=numbers)) if numbers else ():
        for state, occurrence in said.get((history.agent, history.native), ()):
            turn = next((each for each in history.turns if each.id == occurrence.message), None)
            options = tuple(find_triggers(history, turn, turn.text or "")) if turn else ()
            if state.trigger in options:
                found[state.entry.id] = found[state.entry.id]._replace(options=options)
    return [*found.values()]
