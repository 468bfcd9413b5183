"""Session summaries and daily notes, in the words of the user or of calls, each with the turn it is from."""

from __future__ import annotations

from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct


class DayMark(StrEnum):
    """What a line of a daily note is about."""

    SUCCESS = "success"
    FAILURE = "failure"
    INSIGHT = "insight"
    NOTE = "note"

    @property
    def symbol(self) -> str:
        """Return the emoji used in the file."""
        return DAY_SIGNS[self]


DAY_SIGNS = {DayMark.SUCCESS: "✅", DayMark.FAILURE: "❌", DayMark.INSIGHT: "💡", DayMark.NOTE: "📌"}


class DayLine(Struct, frozen=True, kw_only=True):
    """One line of a daily note."""

    mark: DayMark
    time: str
    """HH:MM, in the local time of the file."""
    text: str


class SummaryItem(Struct, frozen=True, kw_only=True):
    """One item of a summary."""

    text: str
    """The user's own words or a call's, shortened."""
    turn: int
    """The number of the typed turn it belongs to, from 1; 0 before the first."""
    at: datetime
    message: str = ""
    """The id of the message, if it is one."""
    measured: str = ""
    """What was measured about it: how it ended, what it cost, what helped."""
    entry: str = ""
    """The name of the entry that it became."""
    mark: DayMark | None = None
    """How it is marked in the daily note, if it is worth a line there."""
    worth: float = 0.0
    """Its rank there."""


class Summary(Struct, frozen=True, kw_only=True):
    """The summary of a session in one context."""

    agent: str
    session: str
    """The agent's own id of it."""
    context: str
    """The key of the context; empty outside of any."""
    first: datetime
    """When the session began: with the agent and the id it identifies the session."""
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
        """Return all items."""
        return (*self.tasks, *self.learnings, *self.skills, *self.feedback, *self.open)

    @property
    def key(self) -> str:
        """Return a unique key, also for two sessions with the same id after a long pause."""
        return f"{self.agent}/{self.session}@{self.first:%Y%m%dT%H%M%S}"

    @property
    def short_label(self) -> str:
        """Return a short reference to the session."""
        return f"{self.agent} {self.session[:8]}"


def is_day(text: str) -> bool:
    """Return whether a text is a date."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
