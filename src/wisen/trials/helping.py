"""What is told of rules that are never withheld: the sessions before and after each came, and never more than that."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.moments import moments
from wisen.model.entry import EntryStatus, MoveKind
from wisen.model.report import Selection
from wisen.store.known_entries import KnownEntries
from wisen.trials.before_after import Course, before_after
from wisen.trials.outcomes import Matters, sessions_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.entry_state import EntryState
    from wisen.model.trial import BeforeAfter
    from wisen.store.home import Home

OTHERS = 200
"""So many patterns that no rule was made for say how everything else went; those of most sessions are taken."""


class Since(NamedTuple):
    """A rule that holds, and how its sessions went before and after it came."""

    state: EntryState
    at: datetime
    told: BeforeAfter


def helped(home: Home) -> list[Since]:
    """Every rule that holds, the newest first. What is seen after it came is where it was not kept."""
    known = KnownEntries(home.ledger)
    promoted = {
        move.subject: move.at
        for move in known.moves
        if move.kind is MoveKind.STATUS and move.value == EntryStatus.PROMOTED.value
    }
    rules = [state for state in known.states if state.is_rule and state.entry.id in promoted]
    if not rules:
        return []
    rest = [state for state in known.states if state.entry.id not in promoted and state.sessions > 1]
    others = sorted(rest, key=lambda each: (-each.sessions, each.entry.id))[:OTHERS]
    courses = _courses(home, [*rules, *others])
    now = home.clock.now()
    found = [
        Since(rule, at := promoted[rule.entry.id], before_after(course, at, courses[len(rules) :], now))
        for rule, course in zip(rules, courses, strict=False)
    ]
    return sorted(found, key=lambda each: each.at, reverse=True)


def _courses(home: Home, states: Sequence[EntryState]) -> list[Course]:
    """The sessions in which each could matter, with whether it was seen there."""
    matters = Matters(home)
    found: list[list[tuple[datetime, bool]]] = [[] for _ in states]
    for key, histories in sessions_of(home.index.events.histories(Selection())).items():
        at = min((at for history in histories for at in moments(history)), default=None)
        for state, course in zip(states, found, strict=True):
            relevant, hit = matters.line(state.entry, key, histories) if at is not None else (False, False)
            if at is not None and relevant:
                course.append((at, hit))
    return [Course.of(each) for each in found]
