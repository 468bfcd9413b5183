"""The history of a session: its calls with their outcomes, and what the user did in between."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.kernel.matching import EDITORS

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.event import Status

EDITS = EDITORS


class Step(Struct, frozen=True, kw_only=True):
    """A call with its outcome; `status` is None if the outcome is unknown, or if the user rejected the call."""

    call: str
    """The agent's id of the call."""
    tool: str
    arguments: str | None
    status: Status | None
    text: str | None
    """The output of a failed call."""
    at: datetime
    ended: datetime | None = None
    context: str = ""
    """The key of the context it was made in; empty outside of any."""


class UserAction(StrEnum):
    """What a user can do in a session."""

    SAID = "said"
    REJECTED = "refused"
    INTERRUPTED = "stopped"


class Turn(Struct, frozen=True, kw_only=True):
    """Something the user did, and where in the sequence of calls."""

    id: str
    action: UserAction
    at: datetime
    text: str | None
    """The text in the user's own words; None for other actions, and if nothing of it was stored or is theirs."""
    before: int
    """How many steps came before it."""
    origin: str = ""
    """How a message reached the agent: prompt, queued, rejection; empty for other actions."""
    conceded: bool = False
    """Whether the assistant then began a reply by conceding, before the user's next typed turn.

    Only for messages.
    """
    context: str = ""
    """The key of the context it happened in; empty outside of any."""
    call: str = ""
    """The agent's id of the rejected or interrupted call, if the log says so; empty for messages."""
    whole: str | None = None
    """The whole message if it also holds pasted or quoted text: for recall, never to be learned from."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


class History(Struct, frozen=True, kw_only=True):
    """One session: its calls in order, and the user's turns among them."""

    session: int
    """Its number in the index, unique among sessions."""
    agent: str = ""
    native: str = ""
    """The agent's own id of it."""
    steps: tuple[Step, ...]
    turns: tuple[Turn, ...] = ()


def session_label(session: History) -> str:
    """Return the name under which failures of a session are reported."""
    return f"{session.agent} {session.native}"
