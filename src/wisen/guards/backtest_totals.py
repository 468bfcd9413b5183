"""Keeps the backtests of guards that may be proposed: only changed sessions, and guards that are new, cost anything.

Of a guard every call is kept that it would have matched, by session. A changed session is matched again; for a new
guard the sessions with matching calls are searched, and only those are read. Both give what reading all sessions gives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.guards.backtest_history import CallEnding, FailureKey, MatchedCall, WatchedGuard, WatchedGuards
from wisen.guards.watch_matcher import WatchMatcher, required_words
from wisen.model.report import Selection
from wisen.model.signal import SignalKind
from wisen.store.escapes import from_milliseconds, milliseconds
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.history import History
    from wisen.store.index import Index

_NAME = "guard backtests"
_FORMAT = 1
"""Increases with every change of what is stored, or of how calls are matched and judged."""
_AT_ONCE = 200
"""How many sessions are read at once."""


class _Call(Struct, frozen=True, array_like=True):
    at: int
    turn: int
    ending: CallEnding
    failure: FailureKey | None
    text: str


class _SessionCalls(Struct, frozen=True, array_like=True):
    """The calls of one session that a guard would have matched."""

    agent: str
    native: str
    calls: list[_Call]


class GuardTotal(Struct, array_like=True):
    """The calls of all sessions that one guard would have matched."""

    watch: str
    context: str
    stops: bool
    by_session: dict[int, _SessionCalls] = {}
    stopped_by: int | None = None
    """The session with the good call that makes it useless; of such a guard nothing else is kept."""

    @property
    def guard(self) -> WatchedGuard:
        """The guard."""
        return WatchedGuard(self.watch, self.context, self.stops)

    def calls(self, since: datetime | None = None) -> list[MatchedCall]:
        """Return the calls that it would have matched, at all or from a moment on."""
        first = None if since is None else milliseconds(since)
        return [
            MatchedCall(
                of.agent, of.native, from_milliseconds(each.at), each.turn, each.ending, each.failure, each.text
            )
            for _, of in sorted(self.by_session.items())
            for each in of.calls
            if first is None or each.at >= first
        ]

    def count(self, ending: CallEnding) -> int:
        """Return how many of its calls ended in a way."""
        return sum(each.ending is ending for of in self.by_session.values() for each in of.calls)

    def add(self, session: int, call: MatchedCall) -> None:
        """Add a call of a session."""
        if self.stops and call.ending is CallEnding.GOOD:
            self.by_session, self.stopped_by = {}, session
            return
        of = self.by_session.setdefault(session, _SessionCalls(call.agent, call.native, []))
        of.calls.append(_Call(milliseconds(call.at), call.turn, call.ending, call.failure, call.text))

    def forget(self, sessions: Collection[int]) -> bool:
        """Remove what these sessions contributed. Returns False if the guard has to be matched with all again."""
        if self.stopped_by is not None:
            return self.stopped_by not in sessions
        for session in sessions if len(sessions) < len(self.by_session) else [*self.by_session]:
            if session in sessions:
                self.by_session.pop(session, None)
        return True


def backtest_guards(index: Index, guards: Sequence[WatchedGuard], version: str) -> list[GuardTotal]:
    """Return the backtest of each guard over all sessions, from what is kept of earlier runs. `version`: of wisen."""
    version = f"{_FORMAT} {version}"
    revision = index.folds.revision()  # first: what is mined meanwhile is read again the next time
    stored = index.folds.load(_NAME, version)
    before = {} if stored is None else _decode(stored.value)
    totals = {guard: before.get(guard) for guard in guards}
    known = [each for each in totals.values() if each is not None]
    if stored is not None and known:
        changed = index.folds.changed_sessions(stored.revision) | index.recorded_calls.unmined_sessions()
        known = [each for each in known if each.forget(changed)]
        _add_sessions(index, known, changed)
    kept = {each.guard: each for each in known}
    new = {guard: _new_total(guard) for guard in totals if guard not in kept}
    _search_past(index, [*new.values()])
    found = kept | new
    if stored is None or stored.revision != revision or found.keys() != before.keys():
        value = msgspec.json.encode([*found.values()]).decode()
        index.folds.save(_NAME, version, Fold(revision, value), holds_text=True)
    return [found[guard] for guard in guards]


def backtest_guard(index: Index, guard: WatchedGuard) -> GuardTotal:
    """Return the backtest of one guard over all sessions; nothing is kept of it."""
    total = _new_total(guard)
    _search_past(index, [total])
    return total


def _new_total(guard: WatchedGuard) -> GuardTotal:
    return GuardTotal(*guard)


def _decode(value: str) -> dict[WatchedGuard, GuardTotal]:
    """Return the stored totals by guard; none if they cannot be read."""
    try:
        return {each.guard: each for each in msgspec.json.decode(value, type=list[GuardTotal])}
    except msgspec.DecodeError:
        return {}


def _search_past(index: Index, totals: Sequence[GuardTotal]) -> None:
    """Match guards with all sessions; only those with a matching call are read."""
    if not totals:
        return
    watches = dict.fromkeys(each.watch for each in totals)
    matcher = WatchMatcher(watches)
    sessions: dict[str, set[int]] = {watch: set() for watch in watches}
    for call in index.recorded_calls.find([*dict.fromkeys(map(required_words, watches))]):
        for watch in matcher.match(call.tool, call.arguments):
            sessions[watch].add(call.session)
    _add_sessions(index, totals, frozenset[int]().union(*sessions.values()))


def _add_sessions(index: Index, totals: Sequence[GuardTotal], sessions: Collection[int]) -> None:
    """Match guards with the calls of these sessions, and add what they match."""
    waiting = [each for each in totals if each.stopped_by is None]
    watched = WatchedGuards([each.guard for each in waiting])
    for history, corrected in _read(index, sessions):
        if not watched.watches:
            return
        for number, call in watched.judge(history, corrected):
            waiting[number].add(history.session, call)


def _read(index: Index, sessions: Iterable[int]) -> Iterator[tuple[History, frozenset[tuple[str, str]]]]:
    """Yield these sessions in their order, each with the user's corrections."""
    ordered = sorted(sessions)
    for start in range(0, len(ordered), _AT_ONCE):
        some = Selection(sessions=frozenset(ordered[start : start + _AT_ONCE]))
        corrected = frozenset(
            (each.native, each.said.message)
            for each in index.findings.signals(some)
            if each.said.signal.kind is SignalKind.CORRECTION
        )
        for history in index.events.histories(some):
            yield history, corrected
