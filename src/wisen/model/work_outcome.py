"""How the work towards a goal turned out, judged by what followed; later features rest on it."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - msgspec reads the types of fields
from enum import StrEnum

from msgspec import Struct


class WorkOutcome(StrEnum):
    """How the work towards a goal turned out. Partial and unknown count neither for nor against what was done."""

    WORKED = "worked"
    PARTIAL = "partial"
    """Some of it stayed, and some was corrected or taken back."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Nothing shows how it turned out."""


class OutcomeReason(StrEnum):
    """What followed the work, and decides its outcome."""

    PRAISED = "praised"
    CHECKED = "checked"
    """Tests or other checks passed at the end."""
    COMMITTED = "committed"
    """What was made was committed, pushed or merged afterwards, and not taken back."""
    FINISHED = "finished"
    """The command that the request was about succeeded, and nobody objected."""
    ACCEPTED = "accepted"
    """The user went on to something else, or built on it, without objecting."""
    CORRECTED = "corrected"
    """The user corrected it."""
    REJECTED = "rejected"
    """The user rejected a call."""
    INTERRUPTED = "interrupted"
    """The user stopped it."""
    REVERTED = "reverted"
    """What was made was taken back or thrown away."""
    FAILING = "failing"
    """A failure was left unresolved."""
    ASKED_AGAIN = "asked again"
    """The same was requested again in the next session."""
    NO_EVIDENCE = "no evidence"


class NextSession(Struct, frozen=True, kw_only=True):
    """What is needed of the session that followed in the same context."""

    began: datetime
    requests: tuple[str, ...]
    """What the user typed there, in order."""


class JudgedOutcome(Struct, frozen=True, kw_only=True):
    """An outcome with its reason."""

    outcome: WorkOutcome
    reason: OutcomeReason
