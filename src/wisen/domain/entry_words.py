"""Entries in words that may be told to agents: what was only measured says nothing that a tool or a model said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.domain.dangers import may_be_left_out
from wisen.domain.entries import Category, EntryType, Origin, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.domain.entry_states import EntryState


def is_approved(state: EntryState) -> bool:
    """Whether the user confirmed or approved an entry: then it is told in the words that they saw."""
    return state.confirmed or state.status is Status.PROMOTED


def agent_text(state: EntryState, fixes: Mapping[str, str]) -> str:
    """An entry as an agent may read it, with fixes by id in words of ours; empty where it waits for the user."""
    entry = state.entry
    if is_approved(state) or entry.origin is not Origin.MEASURED:
        return state.text
    if entry.type is EntryType.ERROR:
        return next((fixes[tag] for tag in entry.tags if tag in fixes), "")
    if entry.category is Category.BEST_PRACTICE:
        step = entry.action.removeprefix("Leave out ").removesuffix(".")
        return state.text if may_be_left_out(step) else ""
    return state.text
