"""Texts of entries for agents: what was only measured must not repeat what a tool or a model said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Category, EntryOrigin, EntrySource, EntryStatus, EntryType
from wisen.safety.dangers import can_leave_out
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
_USER_SOURCES = (EntrySource.USER_FEEDBACK, EntrySource.CONVERSATION)
"""Recording with these sources needs a person; anybody can record with the others."""


def describe_author(entry: Entry) -> str:
    """Describe to the user whose words an entry contains."""
    if entry.origin is EntryOrigin.LOGGED:
        return "written by you" if entry.source in _USER_SOURCES else "written by the agent"
    return _AUTHORS[entry.origin]


def describe_decision(state: EntryState) -> str:
    """Describe to the user who made an entry a rule: only what a person approved counts as approved."""
    if state.status is not EntryStatus.PROMOTED:
        return "confirmed by you" if state.confirmed else "not approved"
    return "approved by you" if state.confirmed else "put into its file by the profile, not approved by you"


def is_approved(state: EntryState) -> bool:
    """Whether the user confirmed or approved an entry: then it is delivered in the words that they saw."""
    return state.confirmed or state.status is EntryStatus.PROMOTED


def agent_text(state: EntryState, fixes: Mapping[str, str]) -> str:
    """Return an entry's text for agents, with fixes by id in our own words; empty while it waits for the user."""
    entry = state.entry
    if is_approved(state) or entry.origin is not EntryOrigin.MEASURED:
        return state.text
    if entry.type is EntryType.ERROR:
        return next((fixes[tag] for tag in entry.tags if tag in fixes), "")
    if entry.category is Category.BEST_PRACTICE:
        step = entry.action.removeprefix("Leave out ").removesuffix(".")
        return state.text if can_leave_out(step) else ""
    return state.text


def is_worth_showing(state: EntryState) -> bool:
    """Whether a person would want to read it: it is in force, came up again, or is understandable without context."""
    return state.status is EntryStatus.PROMOTED or state.confirmed or state.sessions > 1 or stands_alone(state.text)
