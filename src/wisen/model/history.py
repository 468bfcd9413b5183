"""The course of a session: the calls that were made with how they ended, and what the user did between them."""

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
    """A call with how it ended; `status` is None while its end is not known, or when the user refused it."""

    call: str
    """The agent's id of the call."""
    tool: str
    arguments: str | None
    status: Status | None
    text: str | None
    """What a failed one said."""
    at: datetime
    ended: datetime | None = None
    context: str = ""
    """The key of the context it was made in; empty outside of any."""


class UserAction(StrEnum):
    """What a user does in a session."""

    SAID = "said"
    REJECTED = "refused"
    INTERRUPTED = "stopped"


class Turn(Struct, frozen=True, kw_only=True):
    """Something the user did, and where in the course of the calls."""

    id: str
    action: UserAction
    at: datetime
    text: str | None
    """What was typed, in the user's own words; None for other acts, and where nothing was kept or is theirs."""
    before: int
    """How many steps came before it."""
    origin: str = ""
    """How a message reached the agent: prompt, queued, rejection; empty for the other acts."""
    conceded: bool = False
    """Whether the assistant then began something it said by conceding, before the user's next turn that was typed.

    Only for what was said."""
    context: str = ""
    """The key of the context it was done in; empty outside of any."""
    call: str = ""
    """The agent's id of the call that was refused or stopped, where the log tells; empty for what was said."""
    whole: str | None = None
    """The whole message where it also holds what was pasted or quoted: to be found again, never to be learnt from."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


class History(Struct, frozen=True, kw_only=True):
    """One session: its calls in order, and the user's turns among them."""

    session: int
    """The index's number of it: enough to tell sessions apart."""
    agent: str = ""
    native: str = ""
    """The agent's own id of it."""
    steps: tuple[Step, ...]
    turns: tuple[Turn, ...] = ()


def session_label(session: History) -> str:
    """What a session is called where something failed in it."""
    return f"{session.agent} {session.native}"
