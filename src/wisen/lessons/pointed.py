"""What becomes of a turn that an agent pointed at: an entry in the user's words, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.lessons.recording import entered
from wisen.logs.ownership_rows import confined_agents
from wisen.model.entry import EntryStatus, MoveKind
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.logs.projects import Projects
    from wisen.model.entry import Entry, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.model.pointing import SettledTurn
    from wisen.model.signal import Sighting
    from wisen.store.home import Home
    from wisen.store.ledger import Ledger

_IN_YOUR_WORDS = "in your own words, as the log proves them"


def record_pointed(home: Home, projects: Projects, sightings: Sequence[Sighting]) -> tuple[Entry, ...]:
    """Make entries of what a settled turn says; what was made of the turn before gets the words that were proven."""
    known, ledger = KnownEntries(home.ledger), home.ledger
    taught = [each for each in sightings if each.said.signal.lesson is not None]
    if not taught:
        return ()
    words = taught[0].said.signal.lesson.text if taught[0].said.signal.lesson else ""
    before = _of_turn(ledger, taught[0].agent, taught[0].native, taught[0].said.message)
    if before:
        seen = {each.entry for each in before}
        states = [each for each in known.states if each.entry.id in seen]
        known.enter(
            [
                home.scribe.move(each.entry.id, MoveKind.TEXT, words, why=_IN_YOUR_WORDS)
                for each in states
                if each.text != words and _is_of_turn_alone(ledger, each, before)
            ]
        )
        return tuple(each.entry for each in states)
    known.enter(entered(taught, known.states, ledger.occurrences.ids(), home.scribe, (), confined_agents(projects)))
    now = {each.entry for each in _of_turn(ledger, taught[0].agent, taught[0].native, taught[0].said.message)}
    return tuple(each.entry for each in known.states if each.entry.id in now)


def drop_pointed(home: Home, settled: SettledTurn) -> None:
    """Close the entries that stand on a turn from which nothing is to be learnt, and on no other.

    What the user confirmed, or said themself to last, stays.
    """
    before = _of_turn(home.ledger, settled.agent, settled.session, settled.message)
    seen = {each.entry for each in before}
    why = f"{settled.by} read nothing to learn in that turn; `wisen undo` brings it back"
    known = KnownEntries(home.ledger)
    known.enter(
        [
            home.scribe.move(each.entry.id, MoveKind.STATUS, EntryStatus.RESOLVED, why=why)
            for each in known.states
            if each.entry.id in seen and _is_of_turn_alone(home.ledger, each, before) and not each.entry.standing
        ]
    )


def _of_turn(ledger: Ledger, agent: str, session: str, message: str) -> list[Occurrence]:
    return [
        each
        for each in ledger.occurrences.all()
        if (each.agent, each.session, each.message) == (agent, session, message)
    ]


def _is_of_turn_alone(ledger: Ledger, state: EntryState, of_turn: Sequence[Occurrence]) -> bool:
    """Whether an entry is known from one turn only, and nobody has decided about it."""
    ids = {each.id for each in of_turn}
    seen = {each.id for each in ledger.occurrences.of(state.entry.id)}
    return state.status is EntryStatus.PENDING and not state.confirmed and not state.is_over and seen <= ids
