"""What a run has to look at: the sessions whose statements are not recorded yet, and the projects that changed since.

Everything that entries say about each other — the same, the opposite, which is the newest, what is ready to be
proposed — concerns one project and what holds everywhere. So a run looks only at projects with a changed session or a
new decision. Once a day it looks at all of them, because entries also fade with time.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry_state import fold_proposal_states
from wisen.model.report import Selection
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

_NAME, _VERSION = "lessons", 1


class RunScope(NamedTuple):
    """What a run looks at."""

    revision: int
    """The newest change of a session that it sees."""
    sessions: frozenset[int] | None
    """Sessions whose statements are to be recorded, by number; None for all."""
    contexts: frozenset[str] | None
    """Projects whose entries are to be looked at; None for all."""
    fixes: frozenset[str] = frozenset()
    """Fixes that were tried in these sessions: entries about them may be elsewhere, too."""

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to look at."""
        return self.sessions == frozenset() and self.contexts == frozenset()

    def covers(self, context: str) -> bool:
        """Return whether entries of a context are to be looked at; what holds everywhere always is."""
        return self.contexts is None or context == EVERYWHERE or context in self.contexts

    def select(self, states: Iterable[EntryState]) -> list[EntryState]:
        """Return the entries to be looked at."""
        return [state for state in states if self.covers(state.context)]


class _Marks(msgspec.Struct, frozen=True):
    """What a finished run saw: on which day, and of each project."""

    day: str
    occurrences: int
    waiting: int
    """How many proposals await an answer: when one was answered, there is room for another."""
    contexts: dict[str, str]


def find_scope(home: Home, known: KnownEntries, settings_mark: str) -> RunScope:
    """Return what changed since the last run that was finished; everything if that is not known."""
    folds = home.index.folds
    revision, stored = folds.revision(), folds.load(_NAME, _version(home, settings_mark))
    marks = None if stored is None else _decode(stored.value)
    if stored is None or marks is None:
        return RunScope(revision, None, None)
    now = _current_marks(home, known)
    if now.occurrences < marks.occurrences:
        return RunScope(revision, None, None)  # an older ledger came back: what it lacks is in the sessions
    sessions = folds.changed_sessions(stored.revision)
    tried = home.index.findings.fixes(Selection(sessions=sessions)) if sessions else ()
    fixes = frozenset(fix.id for fix in tried)
    every = now.contexts.keys() | marks.contexts.keys()
    changed = {each for each in every if now.contexts.get(each) != marks.contexts.get(each)}
    if now.day != marks.day or EVERYWHERE in changed or now.waiting < marks.waiting:
        return RunScope(revision, sessions, None, fixes)
    changed |= {context or NOWHERE for context in home.index.sessions.contexts_of(sessions)}
    return RunScope(revision, sessions, frozenset(changed), fixes)


def save_scope(home: Home, known: KnownEntries, scope: RunScope, settings_mark: str) -> None:
    """Store what a finished run saw."""
    value = msgspec.json.encode(_current_marks(home, known)).decode()
    home.index.folds.save(_NAME, _version(home, settings_mark), Fold(scope.revision, value))


def context_marks(states: Iterable[EntryState], moves: Iterable[Move], proposals: Iterable[Proposal]) -> dict[str, str]:
    """Return a mark per project that differs when an entry, an occurrence, a decision or a proposal was added."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    last: dict[str, str] = {}
    contexts: dict[str, set[str]] = {}
    for state in states:
        contexts[state.entry.id] = {state.context, state.entry.context}
        for context in contexts[state.entry.id]:
            counts[context][0] += 1
            counts[context][1] += state.times
    for proposal in proposals:
        contexts[proposal.id] = contexts.get(proposal.entry, set()) | {proposal.context}
        for context in contexts[proposal.id]:
            counts[context][2] += 1
    for move in moves:
        for context in contexts.get(move.subject, ()):
            counts[context][3] += 1
            last[context] = move.id
    return {context: f"{' '.join(map(str, some))} {last.get(context, '')}" for context, some in counts.items()}


def _current_marks(home: Home, known: KnownEntries) -> _Marks:
    proposals = home.ledger.proposals.all()
    waiting = sum(each.is_waiting for each in fold_proposal_states(proposals, known.moves))
    day = home.local(home.clock.now()).date().isoformat()
    return _Marks(
        day=day,
        occurrences=sum(state.times for state in known.states),
        waiting=waiting,
        contexts=context_marks(known.states, known.moves, proposals),
    )


def _decode(value: str) -> _Marks | None:
    try:
        return msgspec.json.decode(value, type=_Marks)
    except msgspec.DecodeError:
        return None  # damaged: everything is looked at


def _version(home: Home, settings_mark: str) -> str:
    return f"{_VERSION} {home.version} {home.machine} {settings_mark}"
