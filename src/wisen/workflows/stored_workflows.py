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
    from collections.abc import Iterable

    from wisen.model.workflow import WorkflowRun
    from wisen.store.index import Index

_NAME = "workflows"
_FORMAT = 2
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


def current_workflows(index: Index, version: str, *, apart: int = APART) -> dict[str, ContextWorkflows]:
    """Return the workflows of all contexts, from what is kept of earlier runs.

    `version`: of wisen. `apart`: how many runs there are at least between two states of the finder.
    """
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
        states = FinderStates(index, version, context, apart=apart)
        if sessions:
            finder = states.find(sessions, revision)
            found[context] = ContextWorkflows(revision, sessions, describe_patterns(finder, ListingPolicy()))
        else:
            states.clear(revision)
    keep_fold(index.folds, _NAME, version, Fold(revision, _encode(found)), holds_text=True)
    return found


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
