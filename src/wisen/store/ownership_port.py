"""The port of ownership: what a ledger keeps of whose files and folders are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wisen.model.ownership import FileFacts, Ownership


class Ownerships(Protocol):
    """Whose files and folders are, of each machine for itself: a path of one says nothing of another's."""

    def note_ownership(self, rows: Iterable[Ownership]) -> None:
        """Remember words about files and folders, all of it or nothing; the same again changes nothing."""
        ...

    def ownerships(self, machine: str | None = None) -> tuple[Ownership, ...]:
        """Every word about files and folders of one machine, or of all, oldest first."""
        ...


class Tracking(Protocol):
    """Where a file comes from: what git has is written by whoever commits, and every file has dates."""

    def tracked_by(self, path: Path) -> str | None:
        """The top of the repository that tracks a file, around it at any height; empty where none does.

        None where a repository is there and cannot be asked.
        """
        ...

    def facts(self, path: Path, first: int) -> FileFacts | None:
        """What the system tells of a file, with a digest of its first bytes; None where no regular file is there."""
        ...
