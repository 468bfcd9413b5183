"""Whose a file or a folder is: what the user said of it, and what wisen noted about it.

A file below a project is somebody else's until the user adopts it; a folder that names the remote of a known project
is a project of its own until the user joins it. Rows never change; the newest about a path holds.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a row is read back by its types
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.model.entry import Actor

if TYPE_CHECKING:
    from collections.abc import Iterable


class OwnershipSubject(StrEnum):
    """What a row is about."""

    FILE = "file"
    """A file below a project that would speak for the user."""
    PLACE = "place"
    """The top folder of a checkout that says to be a known project."""
    MARKER = "marker"
    """A file that switches wisen off where it lies."""


class OwnershipVerdict(StrEnum):
    """What is known about whose it is."""

    FIRST = "first"
    """A place: nobody else had this remote when it was seen."""
    OWNED = "owned"
    """The user said that it is theirs."""
    FOREIGN = "foreign"
    """The user said that it is not, or took an adoption back."""
    ASKED = "asked"
    """The user was told that it waits; that decides nothing."""


class Ownership(Struct, frozen=True, kw_only=True):
    """One word about whose a file or a folder is."""

    id: str
    machine: str
    at: datetime
    subject: OwnershipSubject
    path: str
    context: str
    """The project that a file lies in, or that a place belongs to."""
    verdict: OwnershipVerdict
    by: Actor = Actor.WISEN
    digest: str = ""
    """What the file held: all of it, or of one that grows its first `size` bytes. Of a place: what it says to be."""
    size: int = 0
    identity: str = ""
    """Device and number of a file that grows: one that takes its place has another."""


def newest_decisions(rows: Iterable[Ownership]) -> dict[tuple[OwnershipSubject, str, str], Ownership]:
    """The newest decision about each file, and about each place as what it says to be; asking decides nothing."""
    found: dict[tuple[OwnershipSubject, str, str], Ownership] = {}
    for row in sorted(rows, key=lambda each: (each.at, each.id)):
        if row.verdict is not OwnershipVerdict.ASKED:
            found[row.subject, row.path, row.digest if row.subject is OwnershipSubject.PLACE else ""] = row
    return found


class FileFacts(Struct, frozen=True):
    """What the system tells of a file."""

    identity: str
    """Device and number."""
    size: int
    oldest: datetime
    """The earliest of its dates: an archive can set when it was written, and not when it came to lie there."""
    digest: str
    """Of its first bytes, as many as were asked for."""


class AdoptableFile(NamedTuple):
    """A file below a project with what tells whose it is."""

    path: str
    context: str
    facts: FileFacts
    tracked_by: str | None
    """The top of the repository that has it; empty where none does, None where git cannot tell."""
    first_session: datetime | None
    """When the user first worked in this project with an agent that keeps its sessions elsewhere."""
    content: bytes
    is_adopted: bool
    grows: bool
    """Whether an agent writes it on, so that it is known by its beginning."""

    @property
    def is_older(self) -> bool:
        """Whether it was there before the user's first session in the project, or that cannot be told."""
        return self.first_session is None or self.facts.oldest <= self.first_session

    def refusal_reason(self, *, is_mine: bool) -> str:
        """Why it cannot be adopted; empty where it can."""
        if self.tracked_by is None:
            return f"git cannot tell whether {self.path} is committed, and so not whose it is. Try `git status` there."
        if self.tracked_by:
            rest = "so it is written by whoever commits, and never counts as your word"
            return f"{self.path} is tracked by git ({self.tracked_by}), {rest}. Say it yourself: wisen remember"
        if self.is_older and not is_mine:
            since = "and no session of yours in this project is known"
            if self.first_session is not None:
                since = f"before your first session in this project ({self.first_session:%Y-%m-%d %H:%M} UTC)"
            return f"{self.path} was there {since}, so it may have come with it. If you wrote it yourself: --mine"
        return ""
