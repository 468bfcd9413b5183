"""Records in the ledger what praise reinforces: what the session was given or loaded before it."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.mining.call_words import contains_word
from wisen.mining.session_times import SESSION_GAP, event_times
from wisen.mining.skill_loads import FILE, TOOL
from wisen.model.entry import rule_id
from wisen.model.entry_state import fold_entry_states
from wisen.model.memory import ENTRY_ORIGIN_PREFIX
from wisen.model.reinforcement import praise_level
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.model.workflow import is_workflow_id
from wisen.praise.attribution import GONE, MAX_AGE, PraiseEffect, PraiseEvidence, attribute_praise, ids_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.model.entry_state import EntryState
    from wisen.model.exposure import Exposure
    from wisen.model.memory import MemoryHit
    from wisen.model.signal import SourcedSignal
    from wisen.store.home import Home

MAX_PRAISE_AGE = timedelta(days=30)
"""So long a praise is looked at again: hooks may report deliveries late, and a session may continue."""


def record_reinforcements(home: Home, names: Callable[[], Mapping[str, str]]) -> int:
    """Record in the ledger what recent praise reinforced; `names`: of workflows. Returns how many rows were new."""
    now = home.clock.now()
    recent = home.index.findings.signals(Selection(since=now - MAX_PRAISE_AGE), SignalKind.PRAISE)
    praises = [each for each in find_praises(recent) if now - each.said.at < MAX_PRAISE_AGE]
    if not praises:
        return 0
    known = {(row.agent, row.session, row.message) for row in home.ledger.reinforcements.all()}
    new = [each for each in praises if (each.agent, each.native, each.said.message) not in known]
    rows = [row for each in attribute_praises(home, new, names) for row in each.rows]
    if rows:
        home.ledger.reinforcements.add(rows)
    return len(rows)


def find_praises(signals: Iterable[SourcedSignal]) -> list[SourcedSignal]:
    """The praises among the signals; what a sub-agent was told is not the user's."""
    return [each for each in signals if each.said.signal.kind is SignalKind.PRAISE and "/" not in each.native]


def attribute_praises(
    home: Home, praises: Sequence[SourcedSignal], names: Callable[[], Mapping[str, str]], *, whole: bool = False
) -> Iterator[PraiseEffect]:
    """What each praise reinforces. Those that cannot reinforce anything are skipped, unless `whole`.

    `names` returns the names of workflows by id: asked if a user names one.
    """
    if not praises:
        return
    exposed = {
        (agent, session): [each for each in home.ledger.exposures.all(session=session) if each.agent == agent]
        for agent, session in sorted({(each.agent, each.native) for each in praises})
    }
    by_session: dict[int, list[SourcedSignal]] = defaultdict(list)
    loading = set[int]() if whole else _sessions_with_skills(home, {each.session for each in praises})
    for each in praises:
        if whole or exposed[each.agent, each.native] or each.session in loading or ids_in(each.text):
            by_session[each.session].append(each)
    if not by_session:
        return
    targets, now = PraiseTargets(home, names), home.clock.now()
    first = min(each.said.at for some in by_session.values() for each in some)
    praised = Selection(since=first - MAX_AGE, sessions=frozenset(by_session))
    for history in home.index.events.histories(praised):
        if history.session in by_session:
            evidence = PraiseEvidence(
                exposed[history.agent, history.native], targets.subject_of, targets.find_by_name, home.machine
            )
            over = _is_over(event_times(history), now)
            yield from (
                attribute_praise(each, history, evidence, over=over) for each in by_session.pop(history.session)
            )
    yield from (PraiseEffect(each, why=GONE) for some in by_session.values() for each in some)


def _sessions_with_skills(home: Home, sessions: Collection[int]) -> set[int]:
    """Return those of some sessions in which the agent may have loaded a skill."""
    return {
        session
        for session, calls in home.index.calls.calls(sessions)
        if contains_word(calls, TOOL) or contains_word(calls, FILE)
    }


def praise_of_memories(home: Home, found: Iterable[MemoryHit]) -> dict[str, int]:
    """The praise level of memories that were found, by their ids."""
    ledger, now = home.ledger, home.clock.now()
    rows = ledger.reinforcements.all()
    if not rows:
        return {}
    over = ledger.entries.closed_entries()
    praises = [structs.replace(row, subject=over.get(row.subject) or row.subject) for row in rows]
    wanted = {
        hit.memory.origin.removeprefix(ENTRY_ORIGIN_PREFIX)
        for hit in found
        if hit.memory.origin.startswith(ENTRY_ORIGIN_PREFIX)
    }
    every = fold_entry_states(ledger.entries.of(wanted), (), (), praises)
    return {f"{ENTRY_ORIGIN_PREFIX}{each.entry.id}": praise_level(each.praises, now) for each in every if each.praises}


def _is_over(when: Sequence[datetime], now: datetime) -> bool:
    return not when or now - max(when) >= SESSION_GAP


class PraiseTargets:
    """What can be reinforced by its id: entries that are not over, fixes, and workflows."""

    def __init__(self, home: Home, names: Callable[[], Mapping[str, str]] = dict) -> None:
        """`names` returns the names of workflows by id."""
        self._names = names
        every = fold_entry_states(home.ledger.entries.all(), (), home.ledger.moves.all())
        self._states: dict[str, EntryState] = {}
        for state in every:
            if not state.is_over:
                for name in (state.entry.id, state.entry.name, rule_id(state.entry.id)):
                    self._states[name.casefold()] = state
        self._fixes = {each.id for each in home.index.findings.fixes(Selection())}

    def subject_of(self, exposure: Exposure) -> str:
        """What an exposure is about. A recalled memory has its kind as subject, and the rest of its id as version."""
        name = exposure.version if exposure.subject == "entry" else exposure.subject
        state = self._states.get(name.casefold())
        if state is not None:
            return state.entry.id
        if exposure.event == "prompt" and is_workflow_id(name):
            return name
        # Sessions begin without fixes: a fix that is mentioned then is being retired.
        return name if exposure.event == "failure" and name in self._fixes else ""

    def find_by_name(self, name: str, context: str) -> str:
        """What the user means by a name, within a context."""
        state = self._states.get(name.casefold())
        if state is not None:
            return state.entry.id if state.context in ("", context) else ""
        if is_workflow_id(name):
            workflow = f"W-{name[2:].casefold()}"
            return workflow if workflow in self._names() else ""
        return name.casefold() if name.casefold() in self._fixes else ""
