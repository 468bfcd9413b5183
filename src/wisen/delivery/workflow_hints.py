"""Workflow hints: how a goal was reached before, told with a prompt that asks for that goal, once a session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.reminders import budget_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.delivery.settings import DeliverPolicy

VERSION = 1
_MAX_HINTS = 100
"""How many a context has at most: a hook reads them at every prompt."""


class WorkflowHint(NamedTuple):
    """What is told of a workflow."""

    id: str
    text: str
    words: tuple[tuple[str, float], ...]
    """The words by which a request for it is recognized, with their weights."""


def encode_hints(hints: Iterable[WorkflowHint], policy: DeliverPolicy) -> bytes:
    """Encode what a hook reads at prompts: the hints of a context, and the token budget."""
    shown = [{"id": each.id, "text": each.text, "words": dict(each.words)} for each in hints][:_MAX_HINTS]
    sheet = {"version": VERSION, "budget": budget_of(policy), "hints": shown}
    return json.dumps(sheet, sort_keys=True, separators=(",", ":")).encode("ascii")
