"""Recurring failures, and the changes that made failing calls work, counted over sessions."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime  # noqa: TC003 - msgspec needs it to decode
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.failure import CallChange, Signature  # noqa: TC001 - msgspec needs it to decode

if TYPE_CHECKING:
    from collections.abc import Iterable


class Danger(StrEnum):
    """Why a fix needs the user's approval: a hostile error text could have dictated it."""

    NONE = "none"
    """The resulting call is on the list of harmless ones, and drops no safety option."""
    UNKNOWN = "not known to be harmless"
    PROGRAM = "another program"
    PACKAGE = "installs something"
    HOST = "another host"
    ROOT = "more rights"
    SHELL = "runs what it fetched"
    OUTSIDE = "a place outside the project"
    UNSAFE = "takes a safety away"
    DELETES = "deletes something"

    @property
    def label(self) -> str:
        """Return the warning that people see."""
        return "may have side effects" if self is Danger.UNKNOWN else self.value


class FailureKind(Struct, frozen=True, kw_only=True):
    """A group of similar failures."""

    signature: Signature
    tool: str
    """The tool that was called; the most frequent one if there are several."""
    calls: int
    masked: int
    sessions: int
    overcome: int
    """How many of them the same tool overcame later in the session."""
    lost_ms: int
    lost_tokens: int
    first: datetime
    last: datetime


class Fix(Struct, frozen=True, kw_only=True):
    """A change that made failing calls work, however often it was seen."""

    id: str
    """The same for the same signature and change, on every machine."""
    signature: Signature
    change: CallChange
    before: str
    after: str
    """The newest example: the arguments of the call that failed, and of the one that worked."""
    said: str
    """The output of the failed call of the example, as far as it was stored."""
    sessions: int
    """In how many it helped."""
    calls: int
    failed_again: int
    """In how many sessions the same change was made and the call still failed in the same way."""
    by_chance: float
    """How many of the calls would have had the change anyway, going by its frequency after a success."""
    danger: Danger
    lost_ms: int
    lost_tokens: int
    first: datetime
    last: datetime
    last_worked: bool
    """Whether it helped the last time."""

    @property
    def confidence(self) -> float:
        """Return how often the change helps beyond chance, with add-one smoothing."""
        helped = self.sessions * (1 - min(1.0, self.by_chance / max(self.calls, 1)))
        return (helped + 1) / (self.sessions + self.failed_again + 2)

    @property
    def success_rate(self) -> float:
        """Return how often the change helped, with add-one smoothing: if the error names it, it is no coincidence."""
        return (self.sessions + 1) / (self.sessions + self.failed_again + 2)

    @property
    def is_reliable(self) -> bool:
        """Return whether it was seen and helped often enough to be suggested."""
        return self.sessions > 1 and self.confidence >= 0.6 and self.last_worked


class Evidence(Struct, frozen=True, kw_only=True):
    """One time that a change was made after a failure."""

    agent: str
    session: str
    """The agent's own id of the session."""
    at: datetime
    before: str
    after: str
    said: str
    """The output of the failed call, as far as it was stored."""
    trajectory: str
    """How the attempts from the failure on ended: 0 failed, 1 succeeded."""
    worked: bool
    call: str = ""
    """The id of the call that failed."""
    context: str = ""
    """The key of the context it failed in; empty outside of any."""


def exclude_ordinary_checks(kinds: Iterable[FailureKind], fixes: Iterable[Fix]) -> tuple[FailureKind, ...]:
    """Exclude checks that did their job: tests that fail until the code is right are normal work.

    A check that is known to be fixed in another way is included: `lint` by `lint:fix`.
    """
    fixed = {fix.signature for fix in fixes}
    return tuple(kind for kind in kinds if not kind.signature.key.startswith("build.") or kind.signature in fixed)


def fix_id(signature: Signature, change: CallChange) -> str:
    """Return the id of the fix for this signature and change, whatever the signature's version."""
    content = [signature.key, signature.who, signature.says, change.tool, change.removed, change.added, change.first]
    return hashlib.blake2b(json.dumps(content).encode("ascii")).hexdigest()[:10]
