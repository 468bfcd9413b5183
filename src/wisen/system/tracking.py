"""Finds out where a file inside a project comes from: whether any repository around it tracks it, and how old it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wisen.model.change import content_digest
from wisen.model.ownership import FileFacts
from wisen.model.plausible_time import nearest_time
from wisen.safety.regular_files import open_regular_file, read_at_most
from wisen.system.git import NO_ANSWER, GitCheckouts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class Tracking(Protocol):
    """Where a file comes from: what git tracks is written by whoever commits, and every file has dates."""

    def tracked_by(self, path: Path) -> str | None:
        """Return the top of the repository that tracks a file, at any level above it; empty if none does.

        None if a repository exists but cannot be queried.
        """
        ...

    def facts(self, path: Path, first: int) -> FileFacts | None:
        """Return the file's metadata, with a digest of its first bytes; None if there is no regular file."""
        ...


class GitTracking:
    """Queries git about every repository around a file, and the system about its dates."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._checkouts = GitCheckouts(environment)

    def tracked_by(self, path: Path) -> str | None:
        """Return the top of the repository that tracks a file, at any level above it; empty if none does.

        A repository inside another hides what the outer one tracks, so all of them are queried. None if one of them
        cannot be queried.
        """
        is_unknown = False
        for top, file in _repositories_around(path):
            try:
                if self._checkouts.tracks(top, file):
                    return str(top)
            except NO_ANSWER:
                is_unknown = True
        return None if is_unknown else ""

    def facts(self, path: Path, first: int) -> FileFacts | None:
        """Return the file's metadata, with a digest of its first bytes; None if there is no regular file."""
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
            oldest=nearest_time(min(dates)),
            digest=content_digest(beginning),
        )


def _repositories_around(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the repositories around a file, as named and as resolved, each with the file."""
    named_path = Path(os.path.realpath(path.parent)) / path.name
    for file in dict.fromkeys((named_path, Path(os.path.realpath(path)))):
        for folder in file.parents:
            if os.path.lexists(folder / ".git"):
                yield folder, file
