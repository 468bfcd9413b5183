"""What a typed turn says about the work: a correction, praise, a wish for later; and the lesson in it."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.directive import Trigger  # noqa: TC001 - lessons are read back by their types

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime


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


SURE_GAP = 0.7
"""How likely it must be that the user tells what the agent did not know: most turns that look so are of the moment."""


IN_DOUBT = 0.15
"""How likely a directive is meant that only its words speak for: nothing is made of it until somebody says so.

It is below what any kind of signal has to reach."""


class PrecedingEvent(StrEnum):
    """What happened just before a turn."""

    START = "start"
    OK = "ok"
    ERROR = "error"
    INTERRUPT = "interrupt"
    REJECT = "reject"


class TypedTurn(Struct, frozen=True, kw_only=True):
    """A typed turn with what is known around it."""

    text: str
    before: PrecedingEvent = PrecedingEvent.OK
    reason: bool = False
    """Whether it is the reason typed when a call was refused."""
    queued: bool = False
    """Whether it was typed while the agent worked."""
    earlier: tuple[str, ...] = ()
    """What the user typed before in the session, newest first; a few are enough."""
    calls: tuple[str, ...] = ()
    """The last calls before it, newest first: a command, or a tool with its file."""
    later: tuple[str, ...] | None = None
    """What the user typed next; None while that is not known."""
    undone: bool | None = None
    """Whether the agent then took back or changed what it had just done; None while that is not known."""
    conceded: bool | None = None
    """Whether the assistant's answer began by conceding; None while that is not known."""


class LessonTopic(StrEnum):
    """What a lesson is about."""

    COMMAND = "command"
    FILE = "file"
    TOOL = "tool"
    STYLE = "style"
    FACT = "project fact"


class Polarity(StrEnum):
    """Which way a signal points."""

    FOR = "for"
    """The work was right, or something is to be done."""
    AGAINST = "against"
    """The work was wrong, or something is not to be done."""
    NEITHER = "neither"


class Lesson(Struct, frozen=True, kw_only=True):
    """What is to be learnt from a correction or a preference, in the user's own words."""

    text: str
    """The sentences that say what to do, as they were typed."""
    forbids: bool
    """Whether it says what not to do, and nothing else."""
    durable: float
    """How likely it is meant to last beyond the task at hand."""
    is_durable: bool
    about: LessonTopic
    marker: str = ""
    """The words by which it says itself that it lasts; empty where it does not."""
    standing: bool = False
    """Whether it is told at each start: it says itself that it lasts, and says something by itself."""
    trigger: Trigger | None = None
    """What calls it up again, where that can be told."""


class Signal(Struct, frozen=True, kw_only=True):
    """One thing that a turn says."""

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
        """Whether its lesson only may be one: its words speak for it, and neither a rule nor anybody says so."""
        return self.lesson is not None and self.probability <= IN_DOUBT


class RecordedSignal(Struct, frozen=True, kw_only=True):
    """A signal in a recorded session."""

    message: str
    """The id of the message."""
    at: datetime
    signal: Signal


class Sighting(Struct, frozen=True, kw_only=True):
    """A signal with where it was said and in which words: enough to show it to a person."""

    agent: str
    native: str
    """The agent's own id of the session."""
    session: int
    said: RecordedSignal
    text: str
    """The whole message; empty where it was not kept."""
    context: str = ""
    """The key of the context it was said in; empty outside of any."""
    local: bool = False
    """Whether it was typed to a model on the user's own machine."""


class Theme(Struct, frozen=True, kw_only=True):
    """What was corrected or asked for in much the same words, however often."""

    lesson: str
    """The lesson in its clearest wording."""
    about: LessonTopic
    forbids: bool
    durable: float
    """The highest likelihood that it is meant to last."""
    sightings: tuple[Sighting, ...]
    """Newest first."""
    sessions: int


def signals_by_kind(sightings: Iterable[Sighting]) -> dict[SignalKind, int]:
    """In how many turns each kind was said, the most frequent first."""
    turns = {(each.session, each.said.message, each.said.signal.kind) for each in sightings}
    return dict(Counter(kind for _, _, kind in sorted(turns)).most_common())
