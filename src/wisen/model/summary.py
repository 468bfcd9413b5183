"""What a session came to, and the lines of a day: words of the user or of a call, each with the turn it stands in."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct


class DayMark(StrEnum):
    """What a line of a day tells of."""

    SUCCESS = "success"
    FAILURE = "failure"
    INSIGHT = "insight"
    NOTE = "note"

    @property
    def symbol(self) -> str:
        """As it stands in the file."""
        return DAY_SIGNS[self]


DAY_SIGNS = {DayMark.SUCCESS: "✅", DayMark.FAILURE: "❌", DayMark.INSIGHT: "💡", DayMark.NOTE: "📌"}


class DayLine(Struct, frozen=True, kw_only=True):
    """One line of a day."""

    mark: DayMark
    time: str
    """HH:MM, as it was where the file is."""
    text: str


class SummaryItem(Struct, frozen=True, kw_only=True):
    """One thing in a summary."""

    text: str
    """The user's own words or a call's, shortened."""
    turn: int
    """The number of the typed turn it belongs to, from 1; 0 before the first."""
    at: datetime
    message: str = ""
    """The id of the message, where it is one."""
    measured: str = ""
    """What was measured of it: how it ended, what it cost, what helped."""
    entry: str = ""
    """The name of the entry that it became."""
    mark: DayMark | None = None
    """What it is in a day, where it is worth a line there."""
    worth: float = 0.0
    """How much it is worth there."""


class Summary(Struct, frozen=True, kw_only=True):
    """What a session came to in one context."""

    agent: str
    session: str
    """The agent's own id of it."""
    context: str
    """The key of the context; empty outside of any."""
    first: datetime
    """When the session began: with the agent and the id it tells sessions apart."""
    last: datetime
    turns: int
    """How many turns were typed."""
    calls: int
    failed: int
    tasks: tuple[SummaryItem, ...] = ()
    learnings: tuple[SummaryItem, ...] = ()
    skills: tuple[SummaryItem, ...] = ()
    feedback: tuple[SummaryItem, ...] = ()
    open: tuple[SummaryItem, ...] = ()

    @property
    def items(self) -> tuple[SummaryItem, ...]:
        """Everything in it."""
        return (*self.tasks, *self.learnings, *self.skills, *self.feedback, *self.open)

    @property
    def key(self) -> str:
        """Tells sessions apart, also two of the same id after a long pause."""
        return f"{self.agent}/{self.session}@{self.first:%Y%m%dT%H%M%S}"

    @property
    def short_label(self) -> str:
        """The session in few characters, as references name it."""
        return f"{self.agent} {self.session[:8]}"


def is_day(text: str) -> bool:
    """Whether a text names a day."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
