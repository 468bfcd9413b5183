"""Protocols for what wisen needs from the machine: time, ids, files, git and a lock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from wisen.model.change import CheckedOutFile, FileVersion, HeadStep


class Clock(Protocol):
    """The time, so that tests can set it."""

    def now(self) -> datetime:
        """Return the current time, in UTC."""
        ...

    def elapsed(self) -> float:
        """Return seconds on a monotonic clock."""
        ...


class Ids(Protocol):
    """Generates ids."""

    def new(self) -> str:
        """Return an id that no machine has generated before and that sorts by time."""
        ...


class Checkouts(Protocol):
    """What git knows about the user's files. It is only queried; nothing is ever committed for the user."""

    def checkout_of(self, path: str) -> CheckedOutFile | None:
        """Return what git knows about a file, by its real path; None if git does not track it, or cannot say."""
        ...

    def head_steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
        """Return how HEAD moved since it named a commit at a moment, with the file's content around each move.

        Without a commit, since that moment. None if that is unknown.
        """
        ...

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file, as named or as resolved; also true if git cannot say."""
        ...


class Files(Protocol):
    """The user's files, as far as we edit them."""

    def read(self, path: Path) -> FileVersion:
        """Return a file as it is now; also one that does not exist. Raises: FileError."""
        ...

    def real_path(self, path: Path) -> str:
        """Return the resolved path of a file, whether or not it exists."""
        ...

    def link_target(self, path: Path) -> str | None:
        """Return the file that links on the way from the project to a path lead to; None if there are none.

        Raises:
            FileError: they lead to a place that an edit must not follow them to.
        """
        ...

    def siblings(self, path: Path) -> tuple[Path, ...]:
        """Return the other files of the same kind in a file's folder, sorted by name; none if there is no folder."""
        ...

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        """Replace what was seen by a content, completely or not at all; None deletes the file.

        Raises:
            FileChanged: the file is no longer what was seen; nothing was written.
            FileError: it cannot be written; it is unchanged, unless the message says that it was written.
        """
        ...


class Lock(Protocol):
    """One writer at a time on a home: whatever records what logs contain holds it. Hooks never wait for it."""

    def hold(self, work: str) -> AbstractContextManager[None]:
        """Hold the lock during the block; a thread that already holds it does not wait. Raises: StoreBusy."""
        ...
