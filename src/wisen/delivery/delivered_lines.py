"""Turns entries into the lines that are delivered to agents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.block import DeliveredLine
from wisen.model.entry import EntryStatus, rule_id

if TYPE_CHECKING:
    from wisen.model.entry_state import EntryState


def delivered_line(state: EntryState) -> DeliveredLine:
    """Return an entry as a line for agents."""
    unapproved = state.status is EntryStatus.PROMOTED and not state.confirmed
    return DeliveredLine(
        rule_id(state.entry.id), one_line(state.text), state.entry.name, note="not approved" if unapproved else ""
    )


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(text.split())
