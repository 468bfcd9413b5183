"""Keeps the workflows of all contexts as folds: an update costs as much as there is new.

One fold has the workflows and, beside those of a context, the sessions that have runs in it, so that a session that was
deleted, or moved to another context, is missed there. What the finder knows of a context is kept in folds of its own
(`finder_states.py`), from which it goes on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.model.workflow import Workflow  # noqa: TC001 - msgspec reads the types of fields
from wisen.store.folds import Fold, keep_fold
from wisen.workflows.describe_patterns import ListingPolicy, describe_patterns
from wisen.workflows.find_patterns import PatternPolicy, find_patterns
from wisen.workflows.finder_states import APART, FinderStates

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.model.workflow import WorkflowRun
    from wisen.store.index import Index

_NAME = "workflows"
_FORMAT = 3
"""Increases with every change of what is stored, or of how workflows are found."""


class ContextWorkflows(Struct, frozen=True):
    """What was found in one context."""

    sessions: tuple[int, ...]
    """The sessions that have runs in it."""
    workflows: tuple[Workflow, ...]


class _Stored(Struct, frozen=True):
    contexts: dict[str, ContextWorkflows]
    waiting: tuple[str, ...]
    """Contexts with runs that are still to be gone through."""


NOTHING = ContextWorkflows((), ())
"""Of a context that is new."""


def workflows_of(runs: Iterable[WorkflowRun]) -> tuple[Workflow, ...]:
    """Return the workflows of the runs of one context."""
    return describe_patterns(find_patterns(runs, PatternPolicy()), ListingPolicy())


def current_workflows(
    index: Index, version: str, *, most: int | None = None, apart: int = APART
) -> dict[str, ContextWorkflows]:
    """Return the workflows of all contexts, from what is kept of earlier runs.

    `version`: of wisen. `most`: about how many sessions are gone through again where nothing is kept of a context, for
    example because something in it was forgotten: those used last come first, and the others are left out until the
    next time; the first time, all are gone through. `apart`: how many runs there are at least between two states.
    """
    version = f"{_FORMAT} {version}"
    revision = index.folds.revision()  # first: what is mined meanwhile is read again the next time
    stored = index.folds.load(_NAME, version)
    known = None if stored is None else _decode(stored.value)
    if stored is not None and known is not None and stored.revision == revision and not known.waiting:
        return known.contexts
    numbers = index.folds.changed_sessions(stored.revision) if stored is not None and known is not None else None
    before = known.contexts if known is not None else {}
    changed = _sessions_of_changed(index, before, numbers, known.waiting if known is not None else ())
    found = {context: each for context, each in before.items() if context not in changed}
    again = []
    for context, sessions in changed.items():
        states = FinderStates(index, version, context, apart=apart)
        if not sessions:
            states.clear(revision)
        elif (workflows := states.resume(sessions, revision)) is not None:
            found[context] = ContextWorkflows(tuple(sorted(sessions)), workflows)
        else:
            again.append(context)
    is_first, done = not found, 0
    for context in sorted(again, key=lambda each: -max(changed[each])):
        if most is None or is_first or done < most:
            done += len(changed[context])
            workflows = FinderStates(index, version, context, apart=apart).begin(revision)
            found[context] = ContextWorkflows(tuple(sorted(changed[context])), workflows)
    found = {context: found[context] for context in sorted(found)}
    value = _encode(_Stored(found, tuple(context for context in again if context not in found)))
    keep_fold(index.folds, _NAME, version, Fold(revision, value), holds_text=True)
    return found


def kept_workflows(index: Index, version: str, context: str) -> tuple[Workflow, ...]:
    """Return the workflows of a context as they were found last; none if something in it was forgotten since."""
    version = f"{_FORMAT} {version}"
    stored = index.folds.load(_NAME, version)
    known = None if stored is None else _decode(stored.value)
    if known is None or context in known.waiting:
        return FinderStates(index, version, context).workflows()
    return known.contexts.get(context, NOTHING).workflows


def _sessions_of_changed(
    index: Index,
    before: dict[str, ContextWorkflows],
    numbers: frozenset[int] | None,
    waiting: Collection[str],
) -> dict[str, set[int]]:
    """Return all sessions of the contexts in which these sessions changed, or that waited. `numbers`: None for all."""
    now = _by_context(index.runs.contexts_of(numbers))
    every = _by_context(index.runs.contexts_of()) if waiting else {}
    changed = {context: set(every.get(context, ())) for context in waiting}
    for context in sorted({*now, *before}):
        sessions = set(before.get(context, NOTHING).sessions)
        kept = sessions.difference(numbers or ())
        if context not in changed and (context in now or kept != sessions):
            changed[context] = kept.union(now.get(context, ()))
    return changed


def _by_context(pairs: Iterable[tuple[int, str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for session, context in pairs:
        found[context].append(session)
    return found


def _encode(found: _Stored) -> str:
    return json.dumps(msgspec.to_builtins(found))  # unlike msgspec, it writes names that are not UTF-8


def _decode(value: str) -> _Stored | None:
    """Return what is stored; None if it cannot be read."""
    try:
        return msgspec.convert(json.loads(value), _Stored)
    except (ValueError, RecursionError):  # msgspec's errors are of this kind
        return None
