"""Moves what was learned in removed worktrees and folders to the repository that they belonged to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.logs.ownership_rows import record_places
from wisen.model.context import ContextKind
from wisen.model.entry import Answer, EntryStatus, Move, MoveKind
from wisen.model.entry_state import fold_entry_states, fold_proposal_states

if TYPE_CHECKING:
    from wisen.logs.projects import Projects
    from wisen.model.context import Context
    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home

_PROMOTED = (EntryStatus.PROMOTED, EntryStatus.PROMOTED_TO_SKILL)


class _MovedContext(NamedTuple):
    """A context that was a directory of a known project."""

    old: Context
    place: str
    new: Context


def move_removed_worktrees(projects: Projects) -> int:
    """Move what was learned in removed directories to the projects they belonged to. Returns how many moved."""
    moved, home = _find_moved(projects), projects.home
    if not moved:
        return 0
    record_places(projects)
    every = fold_entry_states(home.ledger.entries.all(), home.ledger.entries.tallies(), home.ledger.moves.all())
    for each in moved:
        home.index.removal.move_context(each.old.key, each.new.key)
        moved_entries = [state for state in every if state.context == each.old.key and not state.is_over]
        if moved_entries:
            project_entries = [state for state in every if state.context == each.new.key and not state.is_over]
            home.ledger.entries.record(_moves(home, each, moved_entries, project_entries))
            every = fold_entry_states(home.ledger.entries.all(), home.ledger.entries.tallies(), home.ledger.moves.all())
    return len(moved)


def _find_moved(projects: Projects) -> list[_MovedContext]:
    """Return the contexts of removed directories that, as far as is known now, belong to another project."""
    home, resolver = projects.home, projects.resolver
    places = {alias.path for alias in home.ledger.contexts.aliases(home.machine)}
    moved = []
    for context in home.ledger.contexts.all():
        place = context.name
        if context.kind is not ContextKind.PATH or place not in places or Path(place).is_dir():
            continue
        current = resolver.refresh_context(place)
        if current is not None and current.key != context.key and resolver.name_of(context) == (context.kind, place):
            moved.append(_MovedContext(context, place, current))
    return moved


def _moves(
    home: Home, moved: _MovedContext, moved_entries: list[EntryState], project_entries: list[EntryState]
) -> list[Move]:
    """Return the moves of entries into the project; an entry that has a duplicate there is merged with it."""
    from wisen.text.sameness import LessonIndex

    factory, reason = home.row_factory, f"{moved.place} belonged to {moved.new.name}"
    known = LessonIndex()
    for state in project_entries:
        known.add(state.entry.id, state.text)
    rows = []
    for state in moved_entries:
        duplicate = known.find(state.text)
        if duplicate is None or state.status in _PROMOTED:
            rows.append(factory.build_move(state.entry.id, MoveKind.SCOPE, moved.new.key, why=reason))
            known.add(state.entry.id, state.text)
        else:
            rows.append(factory.build_move(state.entry.id, MoveKind.MERGE, duplicate, why=reason))
    ids = {state.entry.id for state in moved_entries}
    open_ = [
        each.proposal
        for each in fold_proposal_states(home.ledger.proposals.all(), home.ledger.moves.all())
        if each.is_waiting
    ]
    rows += [
        factory.build_move(each.id, MoveKind.ANSWER, Answer.EXPIRED, why=reason)
        for each in open_
        if each.entry in ids and each.context == moved.old.key
    ]
    return rows
