"""What the rest of wisen needs of the machine: time, ids, files, git and a lock, as small Protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from wisen.model.change import Checkout, HeadStep, Seen


class Clock(Protocol):
    """The time, so that a test can decide it."""

    def now(self) -> datetime:
        """The present moment, in UTC."""
        ...

    def elapsed(self) -> float:
        """Seconds on a clock that only goes forward."""
        ...


class Ids(Protocol):
    """New names for new things."""

    def new(self) -> str:
        """An id that no machine has given before and that sorts by time."""
        ...


class Checkouts(Protocol):
    """What git knows of the files of the user. It is only asked; nothing is ever committed for him."""

    def at(self, path: str) -> Checkout | None:
        """What git knows of the file whose real path this is; None where git does not track it, or cannot tell."""
        ...

    def steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
        """How HEAD moved since it named a commit at a moment, with what a file held before and after each move.

        Without a commit, since that moment. None where that cannot be told.
        """
        ...

    def is_tracked(self, path: str) -> bool:
        """Whether git keeps a file, as it is named or where it really is; also where git cannot tell."""
        ...


class Files(Protocol):
    """The files of the user, as far as we edit them."""

    def read(self, path: Path) -> Seen:
        """A file as it is now; also one that is not there. Raises: FileError."""
        ...

    def real(self, path: Path) -> str:
        """Where the file itself is that a path leads to, there or not."""
        ...

    def linked_to(self, path: Path) -> str | None:
        """The file that links lead to on the way from the project to a path; None where there are none.

        Raises:
            FileError: they lead to a place that an edit must not follow them to.
        """
        ...

    def beside(self, path: Path) -> tuple[Path, ...]:
        """The other files of the same kind in a file's folder, by name; none where there is no folder."""
        ...

    def write(self, seen: Seen, content: bytes | None) -> Seen:
        """Put a content in the place of what was seen, whole or not at all; None deletes the file.

        Raises:
            FileChanged: the file is no longer what was seen; nothing was written.
            FileError: it cannot be written; it is as it was, unless the message says that it was written.
        """
        ...


class Lock(Protocol):
    """One writer at a time on a home: whatever writes what logs tell holds it. Hooks never wait for it."""

    def hold(self, work: str) -> AbstractContextManager[None]:
        """Hold it while the block lasts; a thread that holds it already does not wait. Raises: StoreBusy."""
        ...
