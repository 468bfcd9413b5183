"""Changes of a user's file: a file as it was read, the places where its bytes are replaced, and what is kept of it."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a change is read back from JSON by its types
from hashlib import blake2b

from msgspec import Struct


class Splice(Struct, frozen=True):
    """One place that changes: at byte `at` of the old content, `old` is replaced by `new`."""

    at: int
    old: bytes
    new: bytes


class Seen(Struct, frozen=True):
    """A file as it was read."""

    path: str
    content: bytes | None
    """None: it is not there."""
    mode: int
    """Its permission bits; 0 where it is not there."""
    link: str | None
    """The real path, when `path` is a symbolic link."""

    @property
    def digest(self) -> str:
        """Two contents are the same where these are; empty where the file is not there."""
        return digest(self.content)


class Change(Struct, frozen=True, kw_only=True):
    """An edit of a file that was made, with everything that undoes it."""

    id: str
    machine: str
    path: str
    at: datetime
    why: str
    """What it was for, in one line."""
    before: str
    """The digest of what the file held; empty where it was not there."""
    after: str
    splices: tuple[Splice, ...]
    head: str = ""
    """The commit that was checked out, where git tracks the file."""
    line: str = ""
    """The id of the line of ours that it put in."""
    text: str = ""
    """What that line says."""
    heading: str = ""
    opening: bytes = b""
    """What was put before the first of our lines below the heading, and goes with the last of them."""
    closing: bytes = b""
    undoes: str = ""
    """The id of the change that it takes back."""


def digest(content: bytes | None) -> str:
    """Names a content; empty for none."""
    return "" if content is None else blake2b(content, digest_size=16).hexdigest()
