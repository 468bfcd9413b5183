"""What counts as the user's own word: an order that holds beyond the moment, said, confirmed or approved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Category, EntryOrigin, EntryStatus, EntryType
from wisen.model.signal import About
from wisen.text.standing_alone import is_of_the_moment, stands_alone

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.edits.permission import PromotePolicy
    from wisen.model.entry_state import EntryState

_ASKED_TO_KEEP = 1.0
"""What the user asked to be remembered is told as they said it, also where it is a fact."""
_CLEAR = (About.COMMAND, About.TOOL, About.STYLE)
"""What a correction that was said once must be about: a fact or a file is rarely true elsewhere."""


def is_said(state: EntryState, policy: PromotePolicy, is_order: Callable[[str], bool]) -> bool:
    """Whether the user gave it as an order that holds beyond the moment; what others recorded is not their word.

    `is_order` tells whether a text is an order, in any language that the user writes in.
    """
    entry = state.entry
    if entry.origin is not EntryOrigin.STATED or state.status is not EntryStatus.PENDING:
        return False
    if entry.type is not EntryType.LEARNING or not stands_alone(state.text):
        return False
    if state.confirmed:
        return True
    if state.durable < policy.stated or (is_of_the_moment(entry.details) and not state.lasting):
        return False
    if entry.category is Category.PREFERENCE:
        return entry.durable >= _ASKED_TO_KEEP or is_order(state.text)
    again = state.sessions > 1 or entry.about in _CLEAR or state.durable >= policy.durable
    return entry.category is Category.CORRECTION and again and is_order(state.text)


def is_no_remark(state: EntryState, is_order: Callable[[str], bool]) -> bool:
    """Whether it may stand among what is important: what the user only remarked may not, unless a person raised it."""
    raised = state.confirmed or state.priority is not state.entry.priority
    return raised or state.entry.origin is not EntryOrigin.STATED or is_order(state.text)


def is_word(state: EntryState, policy: PromotePolicy, is_order: Callable[[str], bool]) -> bool:
    """Whether it is the user's word and meant to last: they approved it, or said it in such words."""
    return (
        state.confirmed
        or state.status in (EntryStatus.PROMOTED, EntryStatus.WONT_FIX)
        or is_said(state, policy, is_order)
    )
