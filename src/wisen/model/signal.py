"""Signals in typed turns (corrections, praise, preferences, requests) and the lessons they contain."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - msgspec needs it to decode
from enum import StrEnum

from msgspec import Struct

from wisen.model.directive import Trigger  # noqa: TC001 - lessons are decoded by their field types


class SignalKind(StrEnum):
    """What a turn can be; several kinds may apply at once."""

    CORRECTION = "correction"
    """The work, a claim or an approach is wrong, incomplete, or should be done differently."""
    PRAISE = "praise"
    PREFERENCE = "preference"
    """A rule that is meant to last."""
    REQUEST = "feature_request"
    GAP = "knowledge_gap"
    """The user explains something that the agent did not know."""
    REMEMBER = "remember"


SURE_GAP = 0.7
"""The threshold for knowledge gaps: most turns that look like one only matter at the moment."""


IN_DOUBT = 0.15
"""The probability given to a directive that only its wording supports: it is not used until a person confirms it.

It is below the threshold of every kind of signal.
"""


class PrecedingEvent(StrEnum):
    """What happened just before a turn."""

    START = "start"
    OK = "ok"
    ERROR = "error"
    INTERRUPT = "interrupt"
    REJECT = "reject"


class TypedTurn(Struct, frozen=True, kw_only=True):
    """A typed turn with its surroundings."""

    text: str
    before: PrecedingEvent = PrecedingEvent.OK
    reason: bool = False
    """Whether it is the reason typed when a call was rejected."""
    queued: bool = False
    """Whether it was typed while the agent worked."""
    earlier: tuple[str, ...] = ()
    """Earlier messages of the user in the session, newest first; a few are enough."""
    calls: tuple[str, ...] = ()
    """The last calls before it, newest first: a command, or a tool with its file."""
    later: tuple[str, ...] | None = None
    """Later messages of the user; None while unknown."""
    undone: bool | None = None
    """Whether the agent then reverted or changed what it had just done; None while unknown."""
    conceded: bool | None = None
    """Whether the assistant's reply began by conceding; None while unknown."""


class LessonTopic(StrEnum):
    """What a lesson is about."""

    COMMAND = "command"
    FILE = "file"
    TOOL = "tool"
    STYLE = "style"
    FACT = "project fact"


class Polarity(StrEnum):
    """The direction of a signal."""

    FOR = "for"
    """The work was right, or something should be done."""
    AGAINST = "against"
    """The work was wrong, or something should not be done."""
    NEITHER = "neither"


class Lesson(Struct, frozen=True, kw_only=True):
    """What can be learned from a correction or a preference, in the user's own words."""

    text: str
    """The sentences that say what to do, as typed."""
    forbids: bool
    """Whether it only says what not to do."""
    durable: float
    """The probability that it is meant to last beyond the current task."""
    is_durable: bool
    about: LessonTopic
    marker: str = ""
    """The words that mark it as lasting; empty if there are none."""
    standing: bool = False
    """Whether it is delivered at each start: it is marked as lasting and can be understood by itself."""
    trigger: Trigger | None = None
    """What brings it up again, if known."""


class Signal(Struct, frozen=True, kw_only=True):
    """One signal in a turn."""

    kind: SignalKind
    probability: float
    start: int
    """Where in the text the evidence begins."""
    end: int
    polarity: Polarity
    lesson: Lesson | None = None
    """For a correction or a preference."""

    @property
    def is_doubtful(self) -> bool:
        """Return whether its lesson is uncertain: only the wording supports it, and no rule or person confirms it."""
        return self.lesson is not None and self.probability <= IN_DOUBT


class RecordedSignal(Struct, frozen=True, kw_only=True):
    """A signal in a recorded session."""

    message: str
    """The id of the message."""
    at: datetime
    signal: Signal


class SourcedSignal(Struct, frozen=True, kw_only=True):
    """A signal with its source and text: enough to show it to a person."""

    agent: str
    native: str
    """The agent's own id of the session."""
    session: int
    said: RecordedSignal
    text: str
    """The whole message; empty if it was not stored."""
    context: str = ""
    """The key of the context it was said in; empty outside of any."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


class Theme(Struct, frozen=True, kw_only=True):
    """What was corrected or asked for in similar words, however often."""

    entry: str
    """The name of its entry: `wisen lessons show NAME` shows every place."""
    lesson: str
    """The lesson in its newest wording."""
    about: LessonTopic
    durable: float
    """The highest probability that it is meant to last."""
    is_standing: bool
    """Whether the user said that it lasts."""
    sessions: int
    times: int
    """In how many messages it was said."""
    last: datetime
    agent: str
    """To which agent it was said last."""
    session: str
    """In which session, by the agent's own id."""
