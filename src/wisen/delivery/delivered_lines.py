"""Entries as the lines that agents are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.block import DeliveredLine
from wisen.model.entry import EntryStatus, rule_id

if TYPE_CHECKING:
    from wisen.model.entry_state import EntryState


def delivered_line(state: EntryState) -> DeliveredLine:
    """An entry as it is told."""
    unapproved = state.status is EntryStatus.PROMOTED and not state.confirmed
    return DeliveredLine(
        rule_id(state.entry.id), one_line(state.text), state.entry.name, note="not approved" if unapproved else ""
    )


def one_line(text: str) -> str:
    """A text without breaks."""
    return " ".join(text.split())
