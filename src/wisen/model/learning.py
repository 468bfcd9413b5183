"""What a program records of its own work, and what can be told it of that again: problems, learnings, candidates."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.failure import CallChange, Signature
    from wisen.model.fix import Danger


class RecordKind(StrEnum):
    """What a program can record."""

    FAILURE = "failure"
    RESOLUTION = "resolution"
    SUCCESS = "success"
    INSIGHT = "insight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One thing that a program recorded. It is written once and never changed."""

    id: str
    kind: RecordKind
    machine: str
    at: datetime
    tool: str | None = None
    session: str | None = None
    """The program's own name for the work it belongs to; without one the record counts as a session of its own."""
    place: str = ""
    text: str | None = None
    """The error, what fixed it, or the insight; None for a success and where it was withheld."""
    arguments: str | None = None
    """Of the call that failed, or of the one that worked, as a JSON object."""
    signature: Signature | None = None
    """Of a failure; a resolution has that of the failure it resolves."""
    failure: str | None = None
    """The id of the failure that a resolution resolves."""
    tried: str | None = None
    """The id of the learning that was tried: before a failure it did not help, before a success it did."""
    withheld: str | None = None
    """The safety rule for which a part of it was not kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Failures of one tool that are alike in one session, up to the resolution or success that ended them."""

    session: str | None
    tool: str
    signature: Signature
    attempts: tuple[str, ...]
    """The ids of the failures, oldest first."""
    feedback: tuple[str | None, ...]
    """What each attempt was told; None where it was withheld."""
    trajectory: str
    """How they ended: 0 failed, 1 succeeded."""
    first: datetime
    last: datetime
    """When the first attempt failed, and when the problem ended or was last met."""
    ended_by: str | None = None
    """The id of the resolution or success; None while the problem is open."""


class LearningKind(StrEnum):
    """What a learning is."""

    RESOLUTION = "resolution"
    FIX = "fix"
    INSIGHT = "insight"


class Match(StrEnum):
    """Why a learning was found, the best reason first."""

    SIGNATURE = "the same failure"
    KEY = "the same tool and symptom"
    WORDS = "similar words"
    TOOL = "the same tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """Something that is known to help, with what speaks for it and against it."""

    id: str
    """What `tried` is given. The first record of it, or the id of the fix."""
    kind: LearningKind
    tool: str | None
    signature: Signature | None
    """Of the failure it helps against; None for an insight."""
    text: str
    """What the program said; empty for a fix, and where it was withheld."""
    change: CallChange | None = None
    """The difference between the call that failed and the one that worked, where both are known."""
    before: str | None = None
    after: str | None = None
    """An example, the newest: the arguments of the call that failed, and of the one that worked."""
    sessions: int
    """In how many it helped."""
    failed: int
    """In how many it was tried and did not help."""
    confidence: float
    """How often it helps when it is tried, with one doubt on each side."""
    last_worked: bool
    """Whether it helped when it was last tried."""
    last: datetime
    danger: Danger | None = None
    """Why a fix is not known to be harmless; None where a program said by itself what helped."""
    problem: Problem | None = None
    """The newest problem that it ended: its attempts, their trajectory and feedback. A fix has its evidence instead."""
    match: Match | None = None
    """Why it was found, where something was looked for."""

    @property
    def origin(self) -> str:
        """Whether a program recorded it or it was mined from the logs of agents."""
        return "mined" if self.kind is LearningKind.FIX else "recorded"

    @property
    def description(self) -> str:
        """What to do, in a line for a person."""
        if self.text or self.change is None:
            return self.text
        steps = [f"first {call}" for call in self.change.first]
        steps += [f"without {token}" for token in self.change.removed]
        steps += [f"with {token}" for token in self.change.added]
        return ", ".join(steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A failure that recurs often enough to be worth a rule, a guard or a skill."""

    tool: str
    signature: Signature
    sessions: int
    """In how many it was resolved, or was met if nothing resolves it."""
    failures: int
    """How many calls failed of it."""
    learning: Learning | None
    """What resolves it; None where nothing is known to."""

    @property
    def is_unresolved(self) -> bool:
        """Whether nothing is known to help."""
        return self.learning is None

    @property
    def failures_saved(self) -> float:
        """About how many failed calls would have been spared; where nothing helps yet, half of them might be."""
        return self.failures * (self.learning.confidence if self.learning else 0.5)
