"""Session events: messages, calls, outcomes, rejections, interrupts, concessions and citations.

An event's `id` is the agent's own (uuid, tool id) wherever there is one, so that reading twice changes nothing.
Only two things are learned from: what the user typed and what tools measurably did; every event says which it is.
Assistant prose and the output of successful calls are left out on purpose. Two facts of prose are kept: that it began
by conceding that the user was right, which says something about the user's turn, and the ids of lessons it mentioned.
Nothing is learned from either by itself.

Events are structs, not dataclasses: a frozen one is created five times as fast, and logs hold millions of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime


class Provenance(StrEnum):
    """Where something came from, decided by the structure of the record, never by its wording."""

    TYPED = "typed"
    """The user typed it."""
    MEASURED = "measured"
    """A tool measurably did it."""
    OTHER = "other"
    """Anything else: a program's prompt, a summary, injected text. Nothing is learned from it."""


class MessageOrigin(StrEnum):
    """How a message reached the agent."""

    PROMPT = "prompt"
    QUEUED = "queued"
    """Typed while the agent was working."""
    REJECTION = "rejection"
    """The reason typed when a call was rejected."""
    SHELL = "shell"
    """A wisen command that the user ran from the chat, with the agent's own shell escape."""


class Status(StrEnum):
    """How a call ended, when it was allowed to run."""

    OK = "ok"
    FAILED = "failed"
    MASKED = "masked"
    """The agent was told it succeeded (a pipe hid the exit code), but its output carries an error."""
    CANCELLED = "cancelled"
    """It never ran, because a parallel call failed: neither failure nor success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionKey:
    """One conversation of one agent."""

    agent: str
    native: str
    """The agent's own id of the session; `session/agent-id` for a sub-agent."""
    segment: int = 0
    """Increases after a reset or eight idle hours: one native id can hold several conversations."""
    start: str = field(default="", compare=False)
    """The working directory in which it began, if the log says so."""


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """A user turn, or something in its place."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    """The working directory, as the agent recorded it."""
    text: str | None
    """None if it held a secret and was not stored."""
    origin: MessageOrigin
    provenance: Provenance
    local: bool = False
    """Whether the log says that the model runs on the user's own machine."""


class Call(Struct, frozen=True, kw_only=True, gc=False):
    """A tool call, as the agent requested it."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    tool: str
    arguments: str | None
    """A JSON object; whole files are replaced by their size and digest. None if it held a secret and was not stored."""
    provenance: Provenance = Provenance.MEASURED


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """How a call ended. Only failures keep their text."""

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
    """The user rejected a call. The reason, if typed, is a message of its own."""

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
    """The call that was interrupted or rejected, if the log says so."""
    provenance: Provenance = Provenance.TYPED


class Concession(Struct, frozen=True, kw_only=True, gc=False):
    """The assistant's reply began by conceding that the user was right. Only that fact is kept, not the text."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    provenance: Provenance = Provenance.OTHER


class Citation(Struct, frozen=True, kw_only=True, gc=False):
    """The assistant mentioned one of our lessons. Only its id is kept, not the surrounding text."""

    id: str
    session: SessionKey
    at: datetime
    place: str
    name: str
    """`R-…`, or the name of an entry; whether it exists is not known here."""
    provenance: Provenance = Provenance.OTHER


Event: TypeAlias = Message | Call | Outcome | Rejection | Interrupt | Concession | Citation
PROSE_EVENTS = (Concession, Citation)
"""What is kept of the assistant's prose. It belongs to no directory, and is not counted."""
