"""Entries in words that may be told to agents: what was only measured says nothing that a tool or a model said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Category, EntryOrigin, EntrySource, EntryStatus, EntryType
from wisen.safety.dangers import may_be_left_out
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.model.entry import Entry
    from wisen.model.entry_state import EntryState


_AUTHORS = {
    EntryOrigin.STATED: "said by you",
    EntryOrigin.MEASURED: "measured in your sessions",
    EntryOrigin.IMPORTED: "imported",
}
_OWN_WORDS = (EntrySource.USER_FEEDBACK, EntrySource.CONVERSATION)
"""What is recorded so needs a person; anybody can record the rest."""


def describe_author(entry: Entry) -> str:
    """Whose words an entry holds, for the user."""
    if entry.origin is EntryOrigin.LOGGED:
        return "written by you" if entry.source in _OWN_WORDS else "written by the agent"
    return _AUTHORS[entry.origin]


def describe_decision(state: EntryState) -> str:
    """Who made an entry a rule, for the user: approved is what a person approved, and nothing else."""
    if state.status is not EntryStatus.PROMOTED:
        return "confirmed by you" if state.confirmed else "not approved"
    return "approved by you" if state.confirmed else "put into its file by the profile, not approved by you"


def is_approved(state: EntryState) -> bool:
    """Whether the user confirmed or approved an entry: then it is told in the words that they saw."""
    return state.confirmed or state.status is EntryStatus.PROMOTED


def agent_text(state: EntryState, fixes: Mapping[str, str]) -> str:
    """An entry as an agent may read it, with fixes by id in words of ours; empty where it waits for the user."""
    entry = state.entry
    if is_approved(state) or entry.origin is not EntryOrigin.MEASURED:
        return state.text
    if entry.type is EntryType.ERROR:
        return next((fixes[tag] for tag in entry.tags if tag in fixes), "")
    if entry.category is Category.BEST_PRACTICE:
        step = entry.action.removeprefix("Leave out ").removesuffix(".")
        return state.text if may_be_left_out(step) else ""
    return state.text


def is_told(state: EntryState) -> bool:
    """Whether a person would want to read it: it holds, came up again, or says something to who was not there."""
    return state.status is EntryStatus.PROMOTED or state.confirmed or state.sessions > 1 or stands_alone(state.text)
