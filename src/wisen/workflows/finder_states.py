"""Keeps the workflows of a context, and what the pattern finder knew of it at three moments, to do little again.

The newest state has all runs: later sessions are added to it. A session that goes on, or one that ran beside another,
has runs before the newest; for these there are two older states, some hundred runs back. A state can be used as long as
no session in it changed and every other run of the context is later; if none can, all runs are gone through again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import Struct

from wisen.model.workflow import Workflow  # noqa: TC001 - msgspec reads the types of fields
from wisen.store.escapes import escape
from wisen.store.folds import Fold, keep_fold
from wisen.workflows.describe_patterns import ListingPolicy, describe_patterns
from wisen.workflows.find_patterns import FinderState, PatternFinder, PatternPolicy, order_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.model.workflow import WorkflowRun
    from wisen.store.index import Index

_NEWEST, _RECENT, _OLDER = "", "-recent", "-older"
APART = 100
"""How many runs there are at least between two states."""


class _Kept(Struct, frozen=True, array_like=True):
    """What is stored of one moment."""

    sessions: frozenset[int]
    """The sessions whose runs it has."""
    runs: int
    workflows: tuple[Workflow, ...]
    state: msgspec.Raw
    """What the finder knew: only read where runs are added."""


class _State(NamedTuple):
    fold: Fold
    kept: _Kept


class FinderStates:
    """The states of one context."""

    def __init__(self, index: Index, version: str, context: str, *, apart: int = APART) -> None:
        """`version`: of wisen and of the format. `apart`: how many runs there are at least between two states."""
        self._index, self._version, self._context, self._apart = index, version, context, apart

    def workflows(self) -> tuple[Workflow, ...]:
        """Return the workflows of the newest state, whatever has happened since."""
        newest = self._load(_NEWEST)
        return () if newest is None else newest.kept.workflows

    def resume(self, sessions: Collection[int], revision: int) -> tuple[Workflow, ...] | None:
        """Return the workflows of the context, whose sessions these are; None if no state can be used.

        `revision`: the newest change of a session when it was asked for the sessions.
        """
        for name in (_NEWEST, _RECENT, _OLDER):
            known = self._load(name)
            changed = frozenset() if known is None else self._index.folds.changed_sessions(known.fold.revision)
            if known is None or not known.kept.sessions.isdisjoint(changed):
                continue
            others = set(sessions).difference(known.kept.sessions)
            if name == _NEWEST and not others:
                return known.kept.workflows
            runs = sorted(self._index.runs.of_context(self._context, others), key=order_of)
            state = _decode(known.kept.state)
            if state is None or state.last is None or (runs and order_of(runs[0]) <= state.last):
                continue
            if name == _NEWEST:
                self._age(known)
            finder = PatternFinder(PatternPolicy(), state)
            return self._go_on(finder, runs, revision, recent=None if name == _NEWEST else len(runs) - self._apart)
        return None

    def begin(self, revision: int) -> tuple[Workflow, ...]:
        """Return the same after going through all runs of the context."""
        finder = PatternFinder(PatternPolicy())
        if self._load(_NEWEST) is None:
            return self._go_on(finder, self._index.runs.stream(self._context), revision)
        every = sorted(self._index.runs.of_context(self._context), key=order_of)
        return self._go_on(finder, every, revision, recent=len(every) - self._apart)

    def clear(self, revision: int) -> None:
        """Drop the states: the context has no session any more."""
        for name in (_NEWEST, _RECENT, _OLDER):
            self._keep(name, Fold(revision, ""))

    def _go_on(
        self, finder: PatternFinder, runs: Iterable[WorkflowRun], revision: int, *, recent: int | None = None
    ) -> tuple[Workflow, ...]:
        """Add runs and return the workflows; keep the newest state and, before the run `recent`, the recent one."""
        for number, run in enumerate(runs):
            if number == recent:
                self._keep(_RECENT, Fold(revision, _encode(finder, ())))
            finder.add(run)
        workflows = describe_patterns(finder, ListingPolicy())
        self._keep(_NEWEST, Fold(revision, _encode(finder, workflows)))
        return workflows

    def _age(self, newest: _State) -> None:
        """Keep the state that was the newest until now, unless one is kept that is not much older."""
        recent = self._load(_RECENT)
        if recent is not None:
            changed = self._index.folds.changed_sessions(recent.fold.revision)
            if recent.kept.sessions.isdisjoint(changed):
                if newest.kept.runs - recent.kept.runs < self._apart:
                    return
                self._keep(_OLDER, recent.fold)
        self._keep(_RECENT, newest.fold)

    def _load(self, name: str) -> _State | None:
        fold = self._index.folds.load(self._fold_name(name), self._version)
        try:
            return None if fold is None else _State(fold, msgspec.json.decode(fold.value, type=_Kept))
        except (ValueError, RecursionError):  # msgspec's errors are of this kind
            return None

    def _keep(self, name: str, fold: Fold) -> None:
        keep_fold(self._index.folds, self._fold_name(name), self._version, fold, holds_text=True, context=self._context)

    def _fold_name(self, name: str) -> str:
        return f"workflows{name} {escape(self._context)}"


def _encode(finder: PatternFinder, workflows: tuple[Workflow, ...]) -> str:
    state = finder.state
    try:
        value = _Kept(frozenset(state.sessions), state.counts.runs, workflows, msgspec.Raw(msgspec.json.encode(state)))
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:  # a name that is not UTF-8: all runs are gone through again
        return ""


def _decode(state: msgspec.Raw) -> FinderState | None:
    """Return what the finder knew; None if it cannot be read."""
    try:
        return msgspec.json.decode(state, type=FinderState)
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
