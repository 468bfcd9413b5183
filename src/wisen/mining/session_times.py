"""When something happened in a session, and how long it must be quiet to be over."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.history import History


SESSION_GAP = timedelta(hours=8)
"""A session without events for so long is over: what follows is another one."""


def event_times(history: History) -> list[datetime]:
    """When something happened in a session."""
    return [*(step.at for step in history.steps), *(turn.at for turn in history.turns)]
