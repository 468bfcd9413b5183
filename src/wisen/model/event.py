"""What happens in a session: messages, calls, outcomes, rejections, interrupts, concessions, citations.

An event's `id` is the agent's own (uuid, tool id) wherever it has one, so that reading twice changes nothing.
Only two things teach: what the user typed and what tools measurably did; every event says which it is.
Assistant prose and the output of successful calls have no place here on purpose. Of prose two facts are kept: that it
began by admitting that the user was right, which tells more of the user's turn, and the ids of lessons that it named.
Neither teaches anything by itself.

Events are structs, not dataclasses: a frozen one is made five times as fast, and logs hold them by the million.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime


class Provenance(StrEnum):
    """Where something came from, decided by the structure of the record, never by its words."""

    TYPED = "typed"
    """The user typed it."""
    MEASURED = "measured"
    """A tool measurably did it."""
    OTHER = "other"
    """Anything else: a program's prompt, a summary, injected text. It never teaches."""


class MessageOrigin(StrEnum):
    """How a message reached the agent."""

    PROMPT = "prompt"
    QUEUED = "queued"
    """Typed while the agent was working."""
    REJECTION = "rejection"
    """The reason typed when a call was rejected."""
    SHELL = "shell"
    """A command to wisen that the user ran themself from the chat, by the agent's own way for that."""


class Status(StrEnum):
    """How a call ended, when it was allowed to run."""

    OK = "ok"
    FAILED = "failed"
    MASKED = "masked"
    """The agent was told it succeeded (a pipe hid the exit code), but its output carries an error."""
    CANCELLED = "cancelled"
    """It never ran, because a call beside it failed: neither failure nor success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """One conversation of one agent."""

    agent: str
    native: str
    """The agent's own id of the session; a sub-agent's is `session/agent-id`."""
    segment: int = 0
    """Grows after a reset or eight idle hours: one native id can hold several conversations."""
    start: str = field(default="", compare=False)
    """The working directory in which it began, as far as the log tells."""


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """A turn of the user, or something that stands in its place."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    """The working directory, as the agent wrote it."""
    text: str | None
    """None when it held a secret and was not kept."""
    origin: MessageOrigin
    provenance: Provenance
    local: bool = False
    """Whether the log says that a model on the user's own machine was spoken to."""


class Call(Struct, frozen=True, kw_only=True, gc=False):
    """A tool call, as the agent asked for it."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    tool: str
    arguments: str | None
    """A JSON object; whole files are replaced by their size and digest. None when it held a secret and was not kept."""
    provenance: Provenance = Provenance.MEASURED


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """How a call ended. Only a failure keeps its text."""

    id: str
    call: str
    session: SessionKey
    at: datetime
    place: str
    status: Status
    text: str | None = None
    provenance: Provenance = Provenance.MEASURED

    def __post_init__(self) -> None:
        if self.text is not None and self.status not in (Status.FAILED, Status.MASKED):
            raise ValueError(f"the output of a call that is {self.status.value} is never kept")


class Rejection(Struct, frozen=True, kw_only=True, gc=False):
    """The user refused a call. The reason, if typed, is a message of its own."""

    id: str
    call: str
    session: SessionKey
    at: datetime
    place: str
    provenance: Provenance = Provenance.TYPED


class Interrupt(Struct, frozen=True, kw_only=True, gc=False):
    """The user stopped the agent."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    call: str | None = None
    """The call that was stopped or rejected, where the record tells."""
    provenance: Provenance = Provenance.TYPED


class Concession(Struct, frozen=True, kw_only=True, gc=False):
    """The assistant began what it said by admitting that the user was right. Only that is kept, not the words."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    provenance: Provenance = Provenance.OTHER


class Citation(Struct, frozen=True, kw_only=True, gc=False):
    """The assistant named a lesson of ours. Only its id is kept, not the words around it."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    name: str
    """`R-…`, or the name of an entry; whether there is such a one is not known here."""
    provenance: Provenance = Provenance.OTHER


Event: TypeAlias = Message | Call | Outcome | Rejection | Interrupt | Concession | Citation
PROSE_EVENTS = (Concession, Citation)
"""What is kept of the assistant's prose. It happens nowhere, and is counted nowhere."""
