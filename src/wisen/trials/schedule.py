"""When a change is due for a check, and what happens when no session came by which it could be checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from wisen.model.entry import Origin
from wisen.model.trial import Verdict

if TYPE_CHECKING:
    from datetime import datetime


class Check(StrEnum):
    """What is to be done about a change now."""

    NOTHING = "nothing"
    CHECK = "check"
    REMIND = "remind"
    """It is overdue: tell."""
    EXTEND = "extend"
    """It gets more time, and whoever knows is asked for evidence."""
    TAKE_OUT = "take out"
    """It was only inferred, and nothing ever spoke for it."""
    ASK = "ask"
    """The user stated or approved it: he is asked, and it stays."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPolicy:
    """After how many days what is done."""

    first: int = 7
    """From the change to its first check, and between checks while it is on trial."""
    remind: int = 7
    extend: int = 14
    end: int = 21
    """These three are counted from the day the check was due."""
    again: int = 30
    """Between the checks of a change that was confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A change, as far as its checks are concerned."""

    made: datetime
    origin: Origin
    approved: bool = False
    """Whether the user approved it, whoever it came from."""
    verdict: Verdict = Verdict.RUNNING
    checked: datetime | None = None
    """The last check that had evidence to go by; None before the first."""
    relevant: int = 0
    """Relevant sessions since then, or since the change."""

    @property
    def users(self) -> bool:
        """Whether it stands on the user's word, or has proved itself: then lack of data alone takes nothing out."""
        return self.approved or self.origin is Origin.STATED or self.verdict is Verdict.CONFIRMED


def due(change: Watched, policy: CheckPolicy | None = None) -> datetime:
    """When a change is to be checked next."""
    policy = policy or CheckPolicy()
    days = policy.again if change.verdict is Verdict.CONFIRMED and change.checked else policy.first
    return (change.checked or change.made) + timedelta(days=days)


def check(change: Watched, now: datetime, policy: CheckPolicy | None = None) -> Check:
    """What is to be done about a change now; with evidence it is checked, without it is overdue."""
    policy = policy or CheckPolicy()
    over = now - due(change, policy)
    if over < timedelta(0):
        return Check.NOTHING
    if change.relevant:
        return Check.CHECK
    if over < timedelta(days=policy.remind):
        return Check.NOTHING
    if over < timedelta(days=policy.extend):
        return Check.REMIND
    if over < timedelta(days=policy.end):
        return Check.EXTEND
    return Check.ASK if change.users else Check.TAKE_OUT
