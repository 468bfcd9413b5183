"""Ownership of files and folders: what the user decided about them, and what wisen recorded.

A file below a project is foreign until the user adopts it; a folder that names the remote of a known project is a
project of its own until the user joins it. Rows never change; the newest about a path counts.
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
    """The top folder of a checkout that claims to be a known project."""
    MARKER = "marker"
    """A file that disables wisen in its folder."""


class OwnershipVerdict(StrEnum):
    """What is known about the owner."""

    FIRST = "first"
    """For a place: no other checkout had this remote when it was seen."""
    OWNED = "owned"
    """The user said that it is theirs."""
    FOREIGN = "foreign"
    """The user said that it is not theirs, or undid an adoption."""
    ASKED = "asked"
    """The user was asked about it; that decides nothing."""


class Ownership(Struct, frozen=True, kw_only=True):
    """One decision or record about the owner of a file or folder."""

    id: str
    machine: str
    at: datetime
    subject: OwnershipSubject
    path: str
    context: str
    """The project that contains the file, or that the place belongs to."""
    verdict: OwnershipVerdict
    by: Actor = Actor.WISEN
    digest: str = ""
    """Digest of the file, or of the first `size` bytes of a growing one. For a place: the project it claims to be."""
    size: int = 0
    identity: str = ""
    """Device and inode of a growing file: a file that replaces it has another identity."""


def newest_decisions(rows: Iterable[Ownership]) -> dict[tuple[OwnershipSubject, str, str], Ownership]:
    """Return the newest decision about each file, and about each place with its claim; asking decides nothing."""
    newest: dict[tuple[OwnershipSubject, str, str], Ownership] = {}
    for row in sorted(rows, key=lambda each: (each.at, each.id)):
        if row.verdict is not OwnershipVerdict.ASKED:
            newest[row.subject, row.path, row.digest if row.subject is OwnershipSubject.PLACE else ""] = row
    return newest


class FileFacts(Struct, frozen=True):
    """What the file system knows about a file."""

    identity: str
    """Device and inode."""
    size: int
    oldest: datetime
    """The earliest of its timestamps: an archive can set when it was written, but not when it was created here."""
    digest: str
    """The digest of the requested number of first bytes."""


class AdoptableFile(NamedTuple):
    """A file below a project, with the facts that show who owns it."""

    path: str
    context: str
    facts: FileFacts
    tracked_by: str | None
    """The top folder of the repository that tracks it; empty if none does, None if git cannot tell."""
    first_session: datetime | None
    """When the user first worked in this project with an agent that keeps its sessions elsewhere."""
    content: bytes
    is_adopted: bool
    grows: bool
    """Whether an agent appends to it, so that it is identified by its beginning."""

    @property
    def is_older(self) -> bool:
        """Return whether it existed before the user's first session in the project, or that is unknown."""
        return self.first_session is None or self.facts.oldest <= self.first_session

    def refusal_reason(self, *, is_mine: bool) -> str:
        """Return why it cannot be adopted; empty if it can."""
        if self.tracked_by is None:
            return f"git cannot tell whether {self.path} is committed, so its owner is unknown. Try `git status` there."
        if self.tracked_by:
            rest = "so anyone who commits can change it, and it never counts as your statement"
            return f"{self.path} is tracked by git ({self.tracked_by}), {rest}. Say it yourself: wisen remember"
        if self.is_older and not is_mine:
            since = "and no session of yours in this project is known"
            if self.first_session is not None:
                since = f"before your first session in this project ({self.first_session:%Y-%m-%d %H:%M} UTC)"
            return f"{self.path} was there {since}, so it may have come with it. If you wrote it yourself: --mine"
        return ""
