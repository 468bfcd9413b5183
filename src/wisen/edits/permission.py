"""Decides what happens automatically, what is proposed and what always needs a question: one table, as in the docs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from wisen.model.entry import EntryOrigin
from wisen.model.policy import MAX_DAYS, setting


class Profile(StrEnum):
    """How much may happen without a question."""

    CAUTIOUS = "cautious"
    STANDARD = "standard"
    AUTONOMOUS = "autonomous"


class Permission(StrEnum):
    """Whether a change needs a person."""

    AUTO = "auto"
    """It is made at once, and recorded as a proposal that policy approved."""
    PROPOSE = "propose"
    """It waits in the list of proposals."""
    ASK = "ask"
    """It waits, and is never approved together with others."""


@dataclass(frozen=True, kw_only=True)
class PromotePolicy:
    """When an entry is ready to become a rule, and what may happen without a question."""

    profile: str = setting(
        Profile.STANDARD.value, "How much may happen without a question.", one_of=tuple(each.value for each in Profile)
    )
    occurrences: int = setting(
        3,
        "How often a lesson must occur before it is proposed; not needed for corrections or lasting statements.",
        at_least=1,
    )
    sessions: int = setting(2, "In how many sessions it must occur, corrections included.", at_least=1)
    days: int = setting(30, "Within how many days it must occur.", at_least=1, at_most=MAX_DAYS)
    expires_days: int = setting(
        60, "After how many days without an answer a proposal expires.", at_least=1, at_most=MAX_DAYS
    )
    most: int = setting(20, "How many proposals may be pending at once.", at_least=1)


TABLE: dict[tuple[Profile, str], dict[EntryOrigin, Permission]] = {
    (Profile.CAUTIOUS, "any"): dict.fromkeys(EntryOrigin, Permission.ASK),
    # What the user stated works at once by hook; a file outside of our home is written only after approval.
    (Profile.STANDARD, "notes"): dict.fromkeys(EntryOrigin, Permission.PROPOSE)
    | {EntryOrigin.IMPORTED: Permission.ASK},
    (Profile.STANDARD, "rules"): dict.fromkeys(EntryOrigin, Permission.PROPOSE)
    | {EntryOrigin.IMPORTED: Permission.ASK},
    (Profile.AUTONOMOUS, "notes"): dict.fromkeys(EntryOrigin, Permission.AUTO) | {EntryOrigin.IMPORTED: Permission.ASK},
    (Profile.AUTONOMOUS, "rules"): dict.fromkeys(EntryOrigin, Permission.PROPOSE)
    | {EntryOrigin.IMPORTED: Permission.ASK},
}
"""By profile and kind of file: notes are TOOLS, MEMORY and USER; rules are SOUL, AGENTS, CLAUDE and everything else."""
_NOTES = frozenset({"TOOLS.md", "MEMORY.md", "USER.md", "preferences.json"})


def can_write_unasked(profile: str) -> bool:
    """Whether anything outside of our home may be written without approval."""
    return Profile(profile) is Profile.AUTONOMOUS


def permission_for(
    profile: Profile, file: str, origin: EntryOrigin, *, is_tracked: bool, is_certain: bool
) -> Permission:
    """Return what a change needs.

    `is_certain`: the user stated it explicitly as a rule. Only that is applied at once, and never in a file that git
    tracks: what is committed there concerns others too.
    """
    kind = "any" if profile is Profile.CAUTIOUS else "notes" if file in _NOTES else "rules"
    permission = TABLE[profile, kind][origin]
    return Permission.PROPOSE if permission is Permission.AUTO and (is_tracked or not is_certain) else permission
