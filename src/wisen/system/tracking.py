"""Tells where a file below a project comes from: whether any repository around it has it, and how old it is."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wisen.model.change import digest
from wisen.model.ownership import FileFacts
from wisen.safety.regular_files import open_regular_file, read_at_most
from wisen.system.git import NO_ANSWER, GitCheckouts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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


class GitTracking:
    """Asks git about every repository around a file, and the system about its dates."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._checkouts = GitCheckouts(environment)

    def tracked_by(self, path: Path) -> str | None:
        """The top of the repository that tracks a file, around it at any height; empty where none does.

        A repository inside another hides what the outer one tracks, so all of them are asked. None where one of them
        cannot be asked.
        """
        unknown = False
        for top, file in _around(path):
            try:
                if self._checkouts.tracks(top, file):
                    return str(top)
            except NO_ANSWER:
                unknown = True
        return None if unknown else ""

    def facts(self, path: Path, first: int) -> FileFacts | None:
        """What the system tells of a file, with a digest of its first bytes; None where no regular file is there."""
        try:
            with open_regular_file(path) as opened:
                status = os.fstat(opened.fileno())
                beginning = read_at_most(opened, first)
        except (OSError, ValueError):
            return None
        dates = [status.st_mtime, status.st_ctime, getattr(status, "st_birthtime", status.st_ctime)]
        return FileFacts(
            identity=f"{status.st_dev}:{status.st_ino}",
            size=status.st_size,
            oldest=datetime.fromtimestamp(max(0.0, min(dates)), UTC),
            digest=digest(beginning),
        )


def _around(path: Path) -> Iterator[tuple[Path, Path]]:
    """The repositories around a file, as it is named and where it really is, each with the file."""
    named = Path(os.path.realpath(path.parent)) / path.name
    for file in dict.fromkeys((named, Path(os.path.realpath(path)))):
        for folder in file.parents:
            if os.path.lexists(folder / ".git"):
                yield folder, file
