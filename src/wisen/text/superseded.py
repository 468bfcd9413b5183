"""Which of two rules gives way: what holds everywhere to a project that says the opposite, and what was replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.entry_state import EntryState


def successor(state: EntryState, by_id: Mapping[str, EntryState]) -> EntryState:
    """The entry that stands in the place of one: itself, or the last of those that took its place."""
    seen = set[str]()
    while state.superseded_by in by_id and state.entry.id not in seen:
        seen.add(state.entry.id)
        state = by_id[state.superseded_by]
    return state


def find_overruled(of_all: Iterable[EntryState], of_project: Iterable[EntryState]) -> set[str]:
    """The ids of what holds everywhere and does not in a project, whose own rules say the opposite."""
    rules, own = [*of_all], [*of_project]
    if not rules or not own:
        return set()  # nothing to compare: a listing does not load what compares
    from wisen.text.sameness import LessonIndex

    everywhere = LessonIndex()
    for each in rules:
        everywhere.add(each.entry.id, each.text)
    return {id_ for each in own for id_ in everywhere.find_opposites(each.text)}
