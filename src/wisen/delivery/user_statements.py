"""Decides what counts as the user's own statement: lasting directives and confirmations, never a classifier's guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import EntryOrigin, EntryStatus, EntryType
from wisen.text.entry_standing import is_lasting_entry, standing_of

if TYPE_CHECKING:
    from wisen.model.entry_state import EntryState


def is_lasting_statement(state: EntryState) -> bool:
    """Whether the user said that it lasts, or confirmed it: only that is in the start block, besides approved rules."""
    stated = state.entry.origin is EntryOrigin.STATED and state.entry.type is EntryType.LEARNING
    return stated and state.status is EntryStatus.PENDING and standing_of(state).is_standing


def is_raised(state: EntryState) -> bool:
    """Whether it may be listed as important: what the user stated may not, unless a person raised its priority."""
    raised = state.confirmed or state.priority is not state.entry.priority
    return raised or state.entry.origin is not EntryOrigin.STATED


def is_user_statement(state: EntryState) -> bool:
    """Whether it is a lasting statement of the user: approved, rejected, or stated without a time limit."""
    return state.confirmed or state.status in (EntryStatus.PROMOTED, EntryStatus.WONT_FIX) or is_lasting_entry(state)
