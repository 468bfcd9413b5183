"""Changes of a user's file: a file as it was read, and the places where its bytes are replaced."""

from __future__ import annotations

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
