"""Compares the sessions before and after each rule that is never withheld."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.mining.session_times import event_times
from wisen.model.entry import EntryStatus, MoveKind
from wisen.model.report import Selection
from wisen.store.known_entries import KnownEntries
from wisen.trials.before_after import HitSeries, compare_before_after
from wisen.trials.outcomes import SessionRelevance, sessions_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.entry_state import EntryState
    from wisen.model.trial import BeforeAfter
    from wisen.store.home import Home

MAX_OTHERS = 200
"""How many patterns without a rule show the general trend; those with the most sessions are taken."""


class RuleEffect(NamedTuple):
    """A rule in force, and how its sessions went before and after it was promoted."""

    state: EntryState
    at: datetime
    comparison: BeforeAfter


def measure_rule_effects(home: Home) -> list[RuleEffect]:
    """Return every rule in force, newest first. A hit after its promotion is a violation of it."""
    known = KnownEntries(home.ledger)
    promoted = {
        move.subject: move.at
        for move in known.moves
        if move.kind is MoveKind.STATUS and move.value == EntryStatus.PROMOTED.value
    }
    rules = [state for state in known.states if state.is_rule and state.entry.id in promoted]
    if not rules:
        return []
    unpromoted = [state for state in known.states if state.entry.id not in promoted and state.sessions > 1]
    others = sorted(unpromoted, key=lambda each: (-each.sessions, each.entry.id))[:MAX_OTHERS]
    series = _hit_series(home, [*rules, *others])
    now = home.clock.now()
    effects = [
        RuleEffect(rule, at := promoted[rule.entry.id], compare_before_after(hits, at, series[len(rules) :], now))
        for rule, hits in zip(rules, series, strict=False)
    ]
    return sorted(effects, key=lambda each: each.at, reverse=True)


def _hit_series(home: Home, states: Sequence[EntryState]) -> list[HitSeries]:
    """Return the relevant sessions of each entry, with whether it was seen there."""
    relevance = SessionRelevance(home)
    sessions: list[list[tuple[datetime, bool]]] = [[] for _ in states]
    for key, histories in sessions_of(home.index.events.histories(Selection())).items():
        at = min((at for history in histories for at in event_times(history)), default=None)
        for state, hits in zip(states, sessions, strict=True):
            relevant, hit = relevance.line_relevance(state.entry, key, histories) if at is not None else (False, False)
            if at is not None and relevant:
                hits.append((at, hit))
    return [HitSeries.from_sessions(each) for each in sessions]
