"""Schedules the checks of changes, and decides what happens when no session came that could check one."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.entry import EntryOrigin
from wisen.model.trial import CheckAction

if TYPE_CHECKING:
    from datetime import datetime

CHECK_INTERVAL = timedelta(days=7)
"""From a change to its first check, and between checks."""
REMIND, EXTEND, END = timedelta(days=7), timedelta(days=14), timedelta(days=21)
"""When an overdue check is reported, gets more time, and ends: counted from the day it was due."""


class WatchedChange(Struct, frozen=True, kw_only=True):
    """A change, as the check schedule sees it."""

    made_at: datetime
    origin: EntryOrigin
    approved: bool = False
    """Whether the user approved it, wherever it came from."""
    checked: datetime | None = None
    """The last check that had evidence; None before the first."""
    relevant: int = 0
    """Relevant sessions since then, or since the change."""

    @property
    def is_users_own(self) -> bool:
        """Whether the user stated or approved it: then lack of data alone never removes it."""
        return self.approved or self.origin is EntryOrigin.STATED


def due_date(change: WatchedChange) -> datetime:
    """Return when a change is to be checked next."""
    return (change.checked or change.made_at) + CHECK_INTERVAL


def next_check(change: WatchedChange, now: datetime) -> CheckAction:
    """Return what to do about a change now; with evidence it is checked, without it is overdue."""
    overdue = now - due_date(change)
    if overdue < timedelta(0):
        return CheckAction.NOTHING
    if change.relevant:
        return CheckAction.CHECK
    if overdue < REMIND:
        return CheckAction.NOTHING
    if overdue < EXTEND:
        return CheckAction.REMIND
    if overdue < END:
        return CheckAction.EXTEND
    return CheckAction.ASK if change.is_users_own else CheckAction.REVERT
