"""Decides which rules are overruled: replaced ones, and general ones that a project rule contradicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.entry_state import EntryState


def successor(state: EntryState, by_id: Mapping[str, EntryState]) -> EntryState:
    """Return the entry in force for one: itself, or the last one that superseded it."""
    seen = set[str]()
    while state.superseded_by in by_id and state.entry.id not in seen:
        seen.add(state.entry.id)
        state = by_id[state.superseded_by]
    return state


def find_overruled(general_rules: Iterable[EntryState], project_rules: Iterable[EntryState]) -> set[str]:
    """Return the ids of the general rules that the rules of a project contradict."""
    rules, project = [*general_rules], [*project_rules]
    if not rules or not project:
        return set()  # nothing to compare: a listing need not load the comparison module
    from wisen.text.sameness import LessonIndex

    index = LessonIndex()
    for each in rules:
        index.add(each.entry.id, each.text)
    return {id_ for each in project for id_ in index.find_opposites(each.text)}
