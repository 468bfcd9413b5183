"""Finds the entry whose rule a change added to a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.edits import preferences
from wisen.model.change import LineEdit, ValueEdit
from wisen.model.entry import EntryStatus, rule_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.change import Change
    from wisen.model.entry_state import EntryState


def entry_of_change(change: Change, every: Sequence[EntryState]) -> str | None:
    """Return the id of the entry whose rule a change added to a file: a line has its id, a value its text."""
    operation = change.operation
    if isinstance(operation, LineEdit):
        return next((state.entry.id for state in every if rule_id(state.entry.id) == operation.id), None)
    if not isinstance(operation, ValueEdit) or not change.path.endswith(preferences.FILE):
        return None
    text = msgspec.json.decode(operation.new or "null")
    return next((s.entry.id for s in every if s.text == text and s.status is EntryStatus.PROMOTED), None)
