"""Tells in which projects sessions changed since skills were proposed last: only there can a workflow be worth one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.store.folds import Fold, keep_fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.store.home import Home

_FOLD = "skills"


def changed_projects(home: Home) -> Sequence[str] | None:
    """Return the keys of the projects with changed sessions; None for all: once a day, because skills go unused."""
    folds, today = home.index.folds, home.local(home.clock.now()).date().isoformat()
    revision, version = folds.revision(), f"{home.version} {today}"
    stored = folds.load(_FOLD, version)
    keep_fold(folds, _FOLD, version, Fold(revision, ""))
    if stored is None:
        return None
    changed = home.index.runs.contexts_of(folds.changed_sessions(stored.revision))
    return sorted({context for _, context in changed if context})
