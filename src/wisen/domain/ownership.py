"""Whose a file or a folder is: what the user said of it, and what wisen noted about it.

A file below a project is somebody else's until the user adopts it; a folder that names the remote of a known project
is a project of its own until the user joins it. Rows never change; the newest about a path holds.
"""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a row is read back by its types
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.domain.entries import Who

if TYPE_CHECKING:
    from collections.abc import Iterable


class Subject(StrEnum):
    """What a row is about."""

    FILE = "file"
    """A file below a project that would speak for the user."""
    PLACE = "place"
    """The top folder of a checkout that says to be a known project."""
    MARKER = "marker"
    """A file that switches wisen off where it lies."""


class Verdict(StrEnum):
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
    subject: Subject
    path: str
    context: str
    """The project a file lies in; the project that a place says to be."""
    verdict: Verdict
    by: Who = Who.WISEN
    digest: str = ""
    """What the file held: all of it, or of one that grows its first `size` bytes."""
    size: int = 0
    identity: str = ""
    """Device and number of a file that grows: one that takes its place has another."""


def newest_words(rows: Iterable[Ownership]) -> dict[tuple[Subject, str, str], Ownership]:
    """The newest decision about each path and project; that something was asked decides nothing."""
    found: dict[tuple[Subject, str, str], Ownership] = {}
    for row in sorted(rows, key=lambda each: (each.at, each.id)):
        if row.verdict is not Verdict.ASKED:
            found[row.subject, row.path, row.context if row.subject is Subject.PLACE else ""] = row
    return found
