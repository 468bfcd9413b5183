"""When a change is due for a check, and what happens when no session came by which it could be checked."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.entry import EntryOrigin
from wisen.model.trial import Check

if TYPE_CHECKING:
    from datetime import datetime

FIRST = timedelta(days=7)
"""From a change to its first check, and between checks."""
REMIND, EXTEND, END = timedelta(days=7), timedelta(days=14), timedelta(days=21)
"""When an overdue check is told, gets more time, and ends: counted from the day it was due."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedChange:
    """A change, as far as its checks are concerned."""

    made: datetime
    origin: EntryOrigin
    approved: bool = False
    """Whether the user approved it, whoever it came from."""
    checked: datetime | None = None
    """The last check that had evidence to go by; None before the first."""
    relevant: int = 0
    """Relevant sessions since then, or since the change."""

    @property
    def users(self) -> bool:
        """Whether it stands on the user's word: then lack of data alone takes nothing out."""
        return self.approved or self.origin is EntryOrigin.STATED


def due(change: WatchedChange) -> datetime:
    """When a change is to be checked next."""
    return (change.checked or change.made) + FIRST


def check(change: WatchedChange, now: datetime) -> Check:
    """What is to be done about a change now; with evidence it is checked, without it is overdue."""
    over = now - due(change)
    if over < timedelta(0):
        return Check.NOTHING
    if change.relevant:
        return Check.CHECK
    if over < REMIND:
        return Check.NOTHING
    if over < EXTEND:
        return Check.REMIND
    if over < END:
        return Check.EXTEND
    return Check.ASK if change.users else Check.TAKE_OUT
