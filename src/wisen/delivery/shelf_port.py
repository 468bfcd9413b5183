"""The port of what hooks read and leave below the home."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    Note = Mapping[str, object]


class Spooled(NamedTuple):
    """What one event of a hook left to be taken in."""

    name: str
    """Of the file: the same note is taken once."""
    notes: tuple[Note, ...]


class ChatReply(NamedTuple):
    """What became of something that the user typed to an agent: told once, where it was typed."""

    agent: str
    session: str
    """The agent's own id of it. Where it goes on no more, the next one of the project is told."""
    context: str
    """The key of the project; empty where it is not known."""
    text: str


class Replies(Protocol):
    """What waits to be told to the user by a hook, once."""

    def reply(self, each: ChatReply) -> None:
        """Leave something to be told. Raises: StoreError."""
        ...

    def replies(self) -> tuple[ChatReply, ...]:
        """What was not told yet, oldest first."""
        ...


class Shelf(Replies, Protocol):
    """What hooks read, and what they leave behind."""

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Put snapshots where hooks find them, each whole or not at all, and the page that names them last.

        Those that no session of the last `days` began with are removed. Returns how many were not there before.
        """
        ...

    def holds(self) -> frozenset[str]:
        """The digests of the snapshots that are there."""
        ...

    def spooled(self) -> tuple[Spooled, ...]:
        """What hooks left, oldest first. What cannot be read is empty."""
        ...

    def drop(self, names: Sequence[str]) -> None:
        """Remove what was taken in."""
        ...

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots that hold something, the pins of sessions that began with one, and such notes.

        Returns the names of what is gone. No snapshot may be there until the next are published.
        """
        ...

    def switched_off(self) -> tuple[str, ...]:
        """The names of the notes that a session is switched off, each `off/` and its keyed digest; see `drop`."""
        ...

    def woken(self) -> datetime | None:
        """When a hook last asked for a cycle."""
        ...
