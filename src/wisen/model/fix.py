"""Failures that come again, and the changes that made failing calls work, counted over sessions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.model.failure import CallChange, Signature


class Danger(StrEnum):
    """Why a fix needs the user's yes: a hostile error text could have dictated it."""

    NONE = "none"
    """The whole call that it leads to is on the list of what is harmless, and no safety is missing from it."""
    UNKNOWN = "not known to be harmless"
    PROGRAM = "another program"
    PACKAGE = "installs something"
    HOST = "another host"
    ROOT = "more rights"
    SHELL = "runs what it fetched"
    OUTSIDE = "a place outside the project"
    UNSAFE = "takes a safety away"
    DELETES = "deletes something"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureKind:
    """Failures that are alike."""

    signature: Signature
    tool: str
    """The tool that was called; the one most often used, if several."""
    calls: int
    masked: int
    sessions: int
    overcome: int
    """How many of them the same tool got over later in the session."""
    lost_ms: int
    lost_tokens: int
    first: datetime
    last: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change that made failing calls work, however often it was seen."""

    id: str
    """The same for the same signature and change, on every machine."""
    signature: Signature
    change: CallChange
    before: str
    after: str
    """An example, the newest: the arguments of the call that failed, and of the one that worked."""
    said: str
    """What the failed call of the example said, as far as it was kept."""
    sessions: int
    """In how many it helped."""
    calls: int
    failed_again: int
    """In how many sessions the same change was made and the call failed in the same way all the same."""
    by_chance: float
    """How many of the calls would have met the change anyway, going by how often it comes after a success."""
    danger: Danger
    lost_ms: int
    lost_tokens: int
    first: datetime
    last: datetime
    last_worked: bool
    """Whether it helped when it was last made."""

    @property
    def confidence(self) -> float:
        """How often the change helps beyond chance, with one doubt on each side."""
        helped = self.sessions * (1 - min(1.0, self.by_chance / max(self.calls, 1)))
        return (helped + 1) / (self.sessions + self.failed_again + 2)

    @property
    def success_rate(self) -> float:
        """How often the change helped, with one doubt on each side: where the complaint names it, it is no chance."""
        return (self.sessions + 1) / (self.sessions + self.failed_again + 2)

    @property
    def is_reliable(self) -> bool:
        """Whether it was seen often enough, and helped often enough, to be suggested."""
        return self.sessions > 1 and self.confidence >= 0.6 and self.last_worked


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One time a change was made after a failure."""

    agent: str
    session: str
    """The agent's own id of the session."""
    at: datetime
    before: str
    after: str
    said: str
    """What the failed call said, as far as it was kept."""
    trajectory: str
    """How the attempts went from the failure on: 0 failed, 1 succeeded."""
    worked: bool
    call: str = ""
    """The id of the call that failed."""
    context: str = ""
    """The key of the context it failed in; empty outside of any."""


def exclude_ordinary_checks(kinds: Iterable[FailureKind], fixes: Iterable[Fix]) -> tuple[FailureKind, ...]:
    """What went wrong, without checks that did their job: tests that fail until the code is right are how work is done.

    A check that is known to be got over otherwise stays: `lint` by `lint:fix`.
    """
    cured = {fix.signature for fix in fixes}
    return tuple(kind for kind in kinds if not kind.signature.key.startswith("build.") or kind.signature in cured)


def fix_id(signature: Signature, change: CallChange) -> str:
    """The id of the fix that this change is for failures of this signature, whatever the signature's version."""
    whole = [signature.key, signature.who, signature.says, change.tool, change.removed, change.added, change.first]
    return hashlib.blake2b(json.dumps(whole).encode("ascii")).hexdigest()[:10]
