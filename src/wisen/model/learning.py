"""What programs record of their own work, and what is derived from it: problems, learnings and candidates."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

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


class Record(Struct, frozen=True, kw_only=True):
    """One thing that a program recorded. Written once, never changed."""

    id: str
    kind: RecordKind
    machine: str
    at: datetime
    tool: str | None = None
    session: str | None = None
    """The program's own name of the work it belongs to; without one the record counts as a session of its own."""
    place: str = ""
    text: str | None = None
    """The error, what fixed it, or the insight; None for a success and if it was withheld."""
    arguments: str | None = None
    """The arguments of the call that failed or worked, as a JSON object."""
    signature: Signature | None = None
    """The signature of a failure; a resolution has that of the failure it resolves."""
    failure: str | None = None
    """The id of the failure that a resolution resolves."""
    tried: str | None = None
    """The id of the learning that was tried: a failure means it did not help, a success that it did."""
    withheld: str | None = None
    """The safety rule that kept part of it from being stored."""


class Problem(Struct, frozen=True, kw_only=True):
    """Similar failures of one tool in one session, up to the resolution or success that ended them."""

    session: str | None
    tool: str
    signature: Signature
    attempts: tuple[str, ...]
    """The ids of the failures, oldest first."""
    feedback: tuple[str | None, ...]
    """The error of each attempt; None if it was withheld."""
    trajectory: str
    """How they ended: 0 failed, 1 succeeded."""
    first: datetime
    last: datetime
    """When the first attempt failed, and when the problem ended or was last seen."""
    ended_by: str | None = None
    """The id of the resolution or success; None while the problem is open."""


class LearningKind(StrEnum):
    """What a learning is."""

    RESOLUTION = "resolution"
    FIX = "fix"
    INSIGHT = "insight"


class Match(StrEnum):
    """Why a learning matched, the best reason first."""

    SIGNATURE = "the same failure"
    KEY = "the same tool and symptom"
    WORDS = "similar words"
    TOOL = "the same tool"


class Learning(Struct, frozen=True, kw_only=True):
    """Something that is known to help, with the evidence for and against it."""

    id: str
    """The value for `tried`: the id of its first record, or of the fix."""
    kind: LearningKind
    tool: str | None
    signature: Signature | None
    """The signature of the failure it helps against; None for an insight."""
    text: str
    """The program's text; empty for a fix, and if it was withheld."""
    change: CallChange | None = None
    """The difference between the call that failed and the one that worked, if both are known."""
    before: str | None = None
    after: str | None = None
    """The newest example: the arguments of the call that failed, and of the one that worked."""
    sessions: int
    """In how many sessions it helped."""
    failed: int
    """In how many sessions it was tried and did not help."""
    confidence: float
    """How often it helps when tried, with add-one smoothing."""
    last_worked: bool
    """Whether it helped the last time it was tried."""
    last: datetime
    danger: Danger | None = None
    """Why a fix is not known to be harmless; None if a program itself said what helped."""
    problem: Problem | None = None
    """The newest problem that it ended, with its attempts, trajectory and feedback. A fix has evidence instead."""
    match: Match | None = None
    """Why it matched, if there was a search."""

    @property
    def origin(self) -> str:
        """Return whether a program recorded it or it was mined from agents' logs."""
        return "mined" if self.kind is LearningKind.FIX else "recorded"

    @property
    def description(self) -> str:
        """Return what to do, in one line for a person."""
        if self.text or self.change is None:
            return self.text
        steps = [f"first {call}" for call in self.change.first]
        steps += [f"without {token}" for token in self.change.removed]
        steps += [f"with {token}" for token in self.change.added]
        return ", ".join(steps)


class Candidate(Struct, frozen=True, kw_only=True):
    """A failure that recurs often enough to be worth a rule, a guard or a skill."""

    tool: str
    signature: Signature
    sessions: int
    """In how many sessions it was resolved, or was seen if nothing resolves it."""
    failures: int
    """How many calls failed with it."""
    learning: Learning | None
    """What resolves it; None if nothing is known to."""

    @property
    def is_unresolved(self) -> bool:
        """Return whether nothing is known to help."""
        return self.learning is None

    @property
    def failures_saved(self) -> float:
        """Estimate how many failed calls would have been avoided; if nothing helps yet, half of them."""
        return self.failures * (self.learning.confidence if self.learning else 0.5)
