"""What changed between a call that failed and the one that then worked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.domain.events import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A call with how it ended; `status` is None while its end is not known, or when the user refused it."""

    call: str
    tool: str
    arguments: str | None
    status: Status | None
    text: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The calls of one session, in order."""

    session: int
    steps: tuple[Step, ...]


class Danger(StrEnum):
    """What a fix brings in that was not there before: a hostile error text could have dictated it."""

    NONE = "none"
    """It only takes away, reorders, or repeats what the session had used before."""
    PROGRAM = "another program"
    PACKAGE = "installs something"
    HOST = "another host"
    ROOT = "more rights"
    SHELL = "runs what it fetched"
    OUTSIDE = "a place outside the project"
    DELETES = "deletes something"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change that made a failing call work, however often it was seen."""

    tool: str
    kind: str
    """What was wrong, in the words of the report."""
    removed: tuple[str, ...]
    added: tuple[str, ...]
    first: tuple[str, ...]
    """Calls that had to come before, where the call itself stayed the same."""
    before: str
    after: str
    """An example: the call that failed, and the one that worked."""
    sessions: int
    calls: int
    failed_again: int
    """How often the same change was made and the call failed all the same."""
    danger: Danger
    last: datetime

    @property
    def confidence(self) -> float:
        """How often the change helps, with one doubt on each side."""
        return (self.sessions + 1) / (self.sessions + self.failed_again + 2)

    @property
    def is_known(self) -> bool:
        """Whether it was seen often enough, and helped often enough, to be told."""
        return self.sessions > 1 and self.confidence >= 0.6
