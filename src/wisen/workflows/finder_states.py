"""Keeps what the pattern finder knew of a context at three moments, so that only the runs since then are gone through.

The newest state has all runs: later sessions are added to it. A session that goes on, or one that ran beside another,
has runs before the newest; for these there are two older states, some hundred runs back. A state can be used as long as
no session in it changed and every other run of the context is later; if none can, all runs are gone through again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.store.escapes import escape
from wisen.store.folds import Fold, keep_fold
from wisen.workflows.find_patterns import FinderState, PatternFinder, PatternPolicy, order_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wisen.model.workflow import WorkflowRun
    from wisen.store.index import Index

_NEWEST, _RECENT, _OLDER = "", "-recent", "-older"
APART = 100
"""How many runs there are at least between two states."""


class FinderStates:
    """The states of one context."""

    def __init__(self, index: Index, version: str, context: str, *, apart: int = APART) -> None:
        """`version`: of wisen and of the format. `apart`: how many runs there are at least between two states."""
        self._index, self._version, self._context, self._apart = index, version, context, apart

    def find(self, sessions: Collection[int], revision: int) -> PatternFinder:
        """Return the finder after all runs of these sessions, which are all of the context, and keep what it knows.

        `revision`: the newest change of a session when it was asked for the sessions.
        """
        is_new = True
        for name in (_NEWEST, _RECENT, _OLDER):
            stored = self._index.folds.load(self._fold_name(name), self._version)
            state = _decode(stored)
            is_new = is_new and state is None
            if stored is None or state is None or not state.sessions.isdisjoint(self._changed(stored.revision)):
                continue
            others = set(sessions).difference(state.sessions)
            runs = sorted(self._index.runs.of_context(self._context, others), key=order_of)
            if state.last is None or not runs or order_of(runs[0]) > state.last:
                if name == _NEWEST:
                    self._age(stored, state.counts.runs)
                return self._go_on(PatternFinder(PatternPolicy(), state), runs, revision, only_newest=name == _NEWEST)
        every = sorted(self._index.runs.of_context(self._context), key=order_of)
        return self._go_on(PatternFinder(PatternPolicy()), every, revision, only_newest=is_new)

    def clear(self, revision: int) -> None:
        """Drop the states: the context has no session any more."""
        for name in (_NEWEST, _RECENT, _OLDER):
            self._keep(name, Fold(revision, ""))

    def _go_on(
        self, finder: PatternFinder, runs: Sequence[WorkflowRun], revision: int, *, only_newest: bool
    ) -> PatternFinder:
        """Add runs, and keep the newest state and, unless it is known or not needed yet, the recent one."""
        start = len(runs) - self._apart
        for number, run in enumerate(runs):
            if number == start and not only_newest:
                self._keep(_RECENT, Fold(revision, _encode(finder.state)))
            finder.add(run)
        self._keep(_NEWEST, Fold(revision, _encode(finder.state)))
        return finder

    def _age(self, newest: Fold, runs: int) -> None:
        """Keep the state that was the newest until now, unless one is kept that is not much older."""
        recent = self._index.folds.load(self._fold_name(_RECENT), self._version)
        known = _decode(recent)
        if recent is not None and known is not None and known.sessions.isdisjoint(self._changed(recent.revision)):
            if runs - known.counts.runs < self._apart:
                return
            self._keep(_OLDER, recent)
        self._keep(_RECENT, newest)

    def _changed(self, revision: int) -> frozenset[int]:
        return self._index.folds.changed_sessions(revision)

    def _keep(self, name: str, fold: Fold) -> None:
        keep_fold(self._index.folds, self._fold_name(name), self._version, fold, holds_text=True)

    def _fold_name(self, name: str) -> str:
        return f"workflows{name} {escape(self._context)}"


def _encode(state: FinderState) -> str:
    try:
        return msgspec.json.encode(state).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8: all runs are gone through again
        return ""


def _decode(stored: Fold | None) -> FinderState | None:
    """Return what is stored; None if there is nothing, or it cannot be read."""
    if stored is None or not stored.value:
        return None
    try:
        return msgspec.json.decode(stored.value, type=FinderState)
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
