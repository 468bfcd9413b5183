"""Which lessons may hold everywhere: those of which the user said so, and those that are rules in two projects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import EntryStatus
from wisen.text.sameness import Lessons

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.model.entry_state import EntryState

CONTEXTS = 2
"""In so many projects the same must be a rule to be proposed for all."""


def widened(states: Sequence[EntryState]) -> Mapping[str, int]:
    """The ids of the entries that may hold everywhere, and in how many projects the same is a rule.

    Only one of those that say the same is among them, the oldest; none where it holds everywhere already, or the user
    did not want that, or said the opposite somewhere.
    """
    there, at_work, found = Lessons(), Lessons(), dict[str, int]()
    for state in states:
        if state.context == EVERYWHERE and not state.merged_into:
            there.add(state.entry.id, state.text)
        elif not state.is_over:
            at_work.add(state.entry.id, state.text)
    for alike in _alike([state for state in states if state.context != EVERYWHERE and not state.is_over]):
        first = next((state for state in alike if state.everywhere), alike[0])
        many = len({state.context for state in alike if _is_rule(state)} - {NOWHERE})
        if there.find(first.text) is not None or not (first.everywhere or many >= CONTEXTS):
            continue
        if first.everywhere or not (at_work.opposites(first.text) or there.opposites(first.text)):
            found[first.entry.id] = many
    return found


def _is_rule(state: EntryState) -> bool:
    return state.confirmed or state.status is EntryStatus.PROMOTED


def _alike(states: Sequence[EntryState]) -> list[list[EntryState]]:
    """The entries that a person made rules of or meant for everywhere, those that say the same together."""
    lessons = Lessons()
    groups: dict[str, list[EntryState]] = {}
    for state in states:
        if not (_is_rule(state) or state.everywhere):
            continue
        known = lessons.find(state.text) or state.entry.id
        lessons.add(known, state.text)
        groups.setdefault(known, []).append(state)
    return [*groups.values()]
