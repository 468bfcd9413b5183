"""Selects lessons that may become global: those the user meant for all projects, and rules of two projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import EntryStatus
from wisen.text.sameness import LessonIndex

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.model.entry_state import EntryState

CONTEXTS = 2
"""In how many projects the same rule must exist to be proposed for all."""


def find_global_candidates(states: Sequence[EntryState]) -> Mapping[str, int]:
    """Return the ids of entries that may become global, and in how many projects the same is a rule.

    Of several that say the same, only the oldest is returned; none if it is global already, or the user did not want
    that, or said the opposite somewhere.
    """
    candidates: list[tuple[EntryState, int]] = []
    for group in _group_same([state for state in states if state.context != EVERYWHERE and not state.is_over]):
        first = next((state for state in group if state.everywhere), group[0])
        many = len({state.context for state in group if _is_rule(state)} - {NOWHERE})
        if first.everywhere or many >= CONTEXTS:
            candidates.append((first, many))
    if not candidates:
        return {}
    global_lessons, local_lessons, found = LessonIndex(), LessonIndex(), dict[str, int]()
    for state in states:
        if state.context == EVERYWHERE and not state.merged_into:
            global_lessons.add(state.entry.id, state.text)
        elif not state.is_over:
            local_lessons.add(state.entry.id, state.text)
    for first, many in candidates:
        if global_lessons.find(first.text) is not None:
            continue
        if first.everywhere or not (
            local_lessons.find_opposites(first.text) or global_lessons.find_opposites(first.text)
        ):
            found[first.entry.id] = many
    return found


def _is_rule(state: EntryState) -> bool:
    return state.confirmed or state.status is EntryStatus.PROMOTED


def _group_same(states: Sequence[EntryState]) -> list[list[EntryState]]:
    """Group the entries that a person made rules or meant for all projects by what they say."""
    lessons = LessonIndex()
    groups: dict[str, list[EntryState]] = {}
    for state in states:
        if not (_is_rule(state) or state.everywhere):
            continue
        known = lessons.find(state.text) or state.entry.id
        lessons.add(known, state.text)
        groups.setdefault(known, []).append(state)
    return [*groups.values()]
