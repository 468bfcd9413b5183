"""Keeps the workflows of all contexts as folds: an update costs as much as there is new.

One fold has the workflows and, beside those of a context, the sessions that have runs in it, so that a session that was
deleted, or moved to another context, is missed there. A context's own fold has what the finder knows so far: if all
that changed are later sessions, it goes on from there; otherwise the context is gone through again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.model.workflow import Workflow  # noqa: TC001 - msgspec reads the types of fields
from wisen.store.escapes import escape
from wisen.store.folds import Fold, keep_fold
from wisen.workflows.describe_patterns import ListingPolicy, describe_patterns
from wisen.workflows.find_patterns import FinderState, PatternFinder, PatternPolicy, find_patterns, order_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.model.workflow import WorkflowRun
    from wisen.store.index import Index

_NAME = "workflows"
_FORMAT = 1
"""Increases with every change of what is stored, or of how workflows are found."""


class ContextWorkflows(Struct, frozen=True):
    """What was found in one context."""

    revision: int
    """The newest change of a session when it was found."""
    sessions: tuple[int, ...]
    """The sessions that have runs in it."""
    workflows: tuple[Workflow, ...]


NOTHING = ContextWorkflows(0, (), ())
"""Of a context that is new."""


def workflows_of(runs: Iterable[WorkflowRun]) -> tuple[Workflow, ...]:
    """Return the workflows of the runs of one context."""
    return describe_patterns(find_patterns(runs, PatternPolicy()), ListingPolicy())


def current_workflows(index: Index, version: str) -> dict[str, ContextWorkflows]:
    """Return the workflows of all contexts, from what is kept of earlier runs. `version`: of wisen."""
    version = f"{_FORMAT} {version}"
    revision = index.folds.revision()  # first: what is mined meanwhile is read again the next time
    stored = index.folds.load(_NAME, version)
    known = None if stored is None else _decode(stored.value)
    if stored is not None and known is not None and stored.revision == revision:
        return known
    numbers = None if stored is None or known is None else index.folds.changed_sessions(stored.revision)
    now = _by_context(index.runs.contexts_of(numbers))
    found: dict[str, ContextWorkflows] = {}
    for context in sorted({*now, *(known or ())}):
        before = known.get(context, NOTHING) if known is not None else NOTHING
        kept = set(before.sessions).difference(numbers or ())
        is_whole = len(kept) == len(before.sessions)
        if context not in now and is_whole:
            found[context] = before
            continue
        sessions = tuple(sorted(kept.union(now.get(context, ()))))
        finder = _resume(index, version, context, before, now[context]) if is_whole else None
        if finder is None:
            finder = _begin(index, context)
        _keep_state(index, version, context, revision, finder.state if sessions else None)
        if sessions:
            found[context] = ContextWorkflows(revision, sessions, describe_patterns(finder, ListingPolicy()))
    keep_fold(index.folds, _NAME, version, Fold(revision, _encode(found)), holds_text=True)
    return found


def _begin(index: Index, context: str) -> PatternFinder:
    """Return the finder after all runs of a context; it holds only those that it still needs."""
    finder = PatternFinder(PatternPolicy())
    for run in index.runs.stream(context):
        finder.add(run)
    return finder


def _resume(
    index: Index, version: str, context: str, before: ContextWorkflows, new: Collection[int]
) -> PatternFinder | None:
    """Return the finder after new sessions; None if what it knew is not kept, or they began before its last run."""
    stored = index.folds.load(_state_name(context), version)
    if stored is None or stored.revision != before.revision:
        return None
    try:
        state = msgspec.json.decode(stored.value, type=FinderState)
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
    runs = sorted(index.runs.of_context(context, new), key=order_of)
    if state.last is None or not runs or order_of(runs[0]) <= state.last:
        return None
    finder = PatternFinder(PatternPolicy(), state)
    for run in runs:
        finder.add(run)
    return finder


def _keep_state(index: Index, version: str, context: str, revision: int, state: FinderState | None) -> None:
    """Store what the finder knows of a context; of one without sessions, nothing is left."""
    try:
        value = msgspec.json.encode(state).decode() if state is not None else ""
    except UnicodeEncodeError:  # a name that is not UTF-8: the context is gone through again
        value = ""
    keep_fold(index.folds, _state_name(context), version, Fold(revision, value), holds_text=True)


def _state_name(context: str) -> str:
    return f"{_NAME} {escape(context)}"


def _by_context(pairs: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for session, context in pairs:
        found[context].append(session)
    return found


def _encode(found: dict[str, ContextWorkflows]) -> str:
    return json.dumps(msgspec.to_builtins(found))  # unlike msgspec, it writes names that are not UTF-8


def _decode(value: str) -> dict[str, ContextWorkflows] | None:
    """Return what is stored; None if it cannot be read."""
    try:
        return msgspec.convert(json.loads(value), dict[str, ContextWorkflows])
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
