"""Records or drops a turn that an agent pointed at: an entry in the user's words, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.lessons.recording import record_statements
from wisen.logs.ownership_rows import confined_agents
from wisen.model.entry import EntryStatus, MoveKind
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.logs.projects import Projects
    from wisen.model.entry import Entry, Move, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.model.pointing import SettledTurn
    from wisen.model.signal import SourcedSignal
    from wisen.store.home import Home
    from wisen.store.ledger import Ledger

_REPLACED = "other words of yours in that turn say it, as the log proves"


def record_pointed(home: Home, projects: Projects, sightings: Sequence[SourcedSignal]) -> tuple[Entry, ...]:
    """Record what a settled turn says. Entries made from that turn alone in other words are closed."""
    known, ledger = KnownEntries(home.ledger), home.ledger
    lessons = [each for each in sightings if each.said.signal.lesson is not None]
    if not lessons:
        return ()
    turn = lessons[0].agent, lessons[0].native, lessons[0].said.message
    words = {each.said.signal.lesson.text for each in lessons if each.said.signal.lesson is not None}
    before = _occurrences_of(ledger, *turn)
    seen = {each.entry for each in before}
    replaced = [
        each
        for each in known.states
        if each.entry.id in seen
        and each.text not in words
        and _is_from_one_turn(ledger, each, before)
        and not each.entry.standing
    ]
    known.record([_close(home, each, _REPLACED) for each in replaced])
    remaining = [each for each in known.states if each.entry.id not in {state.entry.id for state in replaced}]
    known.record(
        record_statements(lessons, remaining, ledger.occurrences.ids(), home.row_factory, (), confined_agents(projects))
    )
    now = {each.entry for each in _occurrences_of(ledger, *turn)}
    return tuple(each.entry for each in known.states if each.entry.id in now and each.text in words)


def drop_pointed(home: Home, settled: SettledTurn) -> None:
    """Close the entries that rest on a turn from which nothing is to be learned, and on no other.

    What the user confirmed, or said themselves to last, stays.
    """
    before = _occurrences_of(home.ledger, settled.agent, settled.session, settled.message)
    seen = {each.entry for each in before}
    why = f"{settled.by} read nothing to learn in that turn; `wisen undo` brings it back"
    known = KnownEntries(home.ledger)
    known.record(
        [
            _close(home, each, why)
            for each in known.states
            if each.entry.id in seen and _is_from_one_turn(home.ledger, each, before) and not each.entry.standing
        ]
    )


def _close(home: Home, state: EntryState, why: str) -> Move:
    return home.row_factory.build_move(state.entry.id, MoveKind.STATUS, EntryStatus.RESOLVED, why=why)


def _occurrences_of(ledger: Ledger, agent: str, session: str, message: str) -> list[Occurrence]:
    return [
        each
        for each in ledger.occurrences.all()
        if (each.agent, each.session, each.message) == (agent, session, message)
    ]


def _is_from_one_turn(ledger: Ledger, state: EntryState, of_turn: Sequence[Occurrence]) -> bool:
    """Whether an entry is known from one turn only, and nobody has decided about it."""
    ids = {each.id for each in of_turn}
    seen = {each.id for each in ledger.occurrences.of(state.entry.id)}
    return state.status is EntryStatus.PENDING and not state.confirmed and not state.is_over and seen <= ids
