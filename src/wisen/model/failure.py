"""What mining finds in a session: failures, attempted fixes, goals and signals."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from wisen.model.call_summary import CallSummary
    from wisen.model.fix import Danger
    from wisen.model.history import History
    from wisen.model.signal import RecordedSignal
    from wisen.model.workflow import WorkflowRun

T = TypeVar("T")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._+-]{0,23}(?: (?:test|run))?")
"""A bare name of a program or tool."""
_EXITED = re.compile(r"exit -?\d{1,3}, said nothing|said nothing")


class Signature(Struct, frozen=True, kw_only=True, order=True):
    """What similar failures have in common: the program and its error, with concrete values removed."""

    key: str
    """`area.symptom`: the same few words for every program."""
    who: str
    """The program or tool that reports the error."""
    says: str = ""
    """The decisive line of the error without paths, numbers, ids and quoted values; empty if the key says it all."""
    version: int
    """The version of the code that computed it: different versions are not compared."""

    @property
    def description(self) -> str:
        """Return the failure in a few words for a person."""
        error = self.says or self.key.partition(".")[2].replace("-", " ")
        return f"{self.who}: {error}" if self.who else error

    @property
    def safe_description(self) -> str:
        """Return the failure in our own words, for an agent: of the tool's output only a bare name or an exit code."""
        error = self.says if _EXITED.fullmatch(self.says) else self.key.partition(".")[2].replace("-", " ")
        return f"{self.who}: {error}" if _NAME.fullmatch(self.who) else error


class Failure(Struct, frozen=True, kw_only=True):
    """One failed call."""

    call: str
    """The agent's id of the call."""
    tool: str
    signature: Signature
    command: str
    """What was run, in a few words: `bun run test`; empty for a tool that runs nothing."""
    place: str
    """The file or directory it is about, as named by the call or the error; empty if neither names one."""
    at: datetime
    masked: bool = False
    """The agent was told that the call succeeded."""
    transient: bool = False
    """It went away by itself, or was caused by the network or a missing install: it stops counting after a while."""
    ended_by: str | None = None
    """The id of the call of the same tool and goal that finally succeeded."""
    attempts: tuple[str, ...] = ()
    """The calls for the same goal from this one up to the one that succeeded; their output is in their outcomes."""
    trajectory: str = "0"
    """How they ended: 0 failed, 1 succeeded."""
    lost_ms: int = 0
    """Time from this call to the one that resolved the failure, or to the end of this one."""
    lost_tokens: int = 0
    """The approximate tokens of the failed attempts and their output."""


class CallChange(Struct, frozen=True, kw_only=True):
    """The difference between two calls of one tool and goal."""

    tool: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    """Calls that came in between, if the call itself did not change."""

    @property
    def description(self) -> str:
        """Return the change in a few words."""
        if self.first:
            return f"first {self.first[0]}"
        removed, new = " ".join(self.removed), " ".join(self.added)
        if removed and new:
            return f"{removed} → {new}"
        return f"without {removed}" if removed else new if ": " in new else f"with {new}"


class FixAttempt(Struct, frozen=True, kw_only=True):
    """A change that was made after a failure, and whether it helped."""

    failure: str
    """The id of the call that failed."""
    later: str
    """The id of the changed call."""
    signature: Signature
    change: CallChange
    danger: Danger
    worked: bool
    at: datetime


class Ending(StrEnum):
    """How work towards a goal ended, as far as calls and the user's actions show; messages are judged elsewhere."""

    DONE = "done"
    """The last thing that could fail succeeded."""
    CHECKED = "checked"
    """Tests or other checks passed at the end."""
    FAILING = "failing"
    """A failure was left unresolved."""
    STOPPED = "stopped"
    """The user interrupted it or rejected its last call."""
    EMPTY = "empty"
    """Nothing was called."""


class Goal(Struct, frozen=True, kw_only=True):
    """A typed request that starts new work, and how the work went."""

    request: str
    """The id of the message."""
    at: datetime
    ended: datetime
    calls: tuple[str, ...]
    """The ids of the calls made for it, in order."""
    failed: int
    """How many of them failed."""
    ending: Ending
    said_next: str | None = None
    """The id of the next typed message, where praise or a correction would be."""


class SessionFindings(Struct, frozen=True, kw_only=True):
    """What was found in one session. It replaces earlier findings of the same session."""

    session: int
    failures: tuple[Failure, ...] = ()
    attempts: tuple[FixAttempt, ...] = ()
    habits: Mapping[CallChange, int] = field(default_factory=dict)
    """Changes made after a success, and how often: what varies anyway is no fix."""
    pairs: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By tool, how many calls followed another one of the same goal: after a success, and after a failure."""
    goals: tuple[Goal, ...] = ()
    signals: tuple[RecordedSignal, ...] = ()
    """Signals in what the user typed."""
    calls: CallSummary | None = None
    """What was called; None where it was not summarized."""
    runs: tuple[WorkflowRun, ...] = ()
    """How each goal was reached."""


class AnalyzedSession(Struct, Generic[T], frozen=True, kw_only=True):
    """A session that was analyzed in this process or in another one."""

    findings: SessionFindings
    history: History | None = None
    """The session; None if another process read it."""
    described: T | None = None
    """What was made of it there."""
