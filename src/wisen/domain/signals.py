"""What a typed turn says about the work: a correction, praise, a wish for later; and the lesson in it."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class SignalKind(StrEnum):
    """What a turn can be; several may hold at once."""

    CORRECTION = "correction"
    """The work, a claim or an approach is wrong, incomplete as asked, or to be done otherwise."""
    PRAISE = "praise"
    PREFERENCE = "preference"
    """A rule that is meant to last."""
    REQUEST = "feature_request"
    GAP = "knowledge_gap"
    """The user tells something that the agent did not know."""
    REMEMBER = "remember"


class Before(StrEnum):
    """What happened just before a turn."""

    START = "start"
    OK = "ok"
    ERROR = "error"
    INTERRUPT = "interrupt"
    REJECT = "reject"


class Heard(Struct, frozen=True, kw_only=True):
    """A typed turn with what is known around it."""

    text: str
    before: Before = Before.OK
    reason: bool = False
    """Whether it is the reason typed when a call was refused."""
    queued: bool = False
    """Whether it was typed while the agent worked."""
    earlier: tuple[str, ...] = ()
    """What the user typed before in the session, newest first; a few are enough."""
    calls: tuple[str, ...] = ()
    """The last calls before it, newest first: a command, or a tool with its file."""
    failed: str = ""
    """What the last failed call said, if it failed just before."""
    later: tuple[str, ...] | None = None
    """What the user typed next; None while that is not known."""
    undone: bool | None = None
    """Whether the agent then took back or changed what it had just done; None while that is not known."""


class Lesson(Struct, frozen=True, kw_only=True):
    """What is to be learnt from a correction or a preference, in the user's own words."""

    text: str
    """One imperative sentence."""
    durable: float
    """How likely it is meant to last beyond the task at hand."""
    about: str
    """tool, command, file, style or project fact."""


class Signal(Struct, frozen=True, kw_only=True):
    """One thing that a turn says."""

    kind: SignalKind
    probability: float
    start: int
    """Where in the text the evidence begins."""
    end: int
    lesson: Lesson | None = None
