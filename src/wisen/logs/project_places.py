"""Directories of this machine as logs name them: as written, as resolved, and the repository around each.

Each directory is looked up once, so places are rebuilt for each cycle.
"""

from __future__ import annotations

import ntpath
import posixpath
from pathlib import Path
from typing import NamedTuple

from wisen.logs.repository import Repository, is_directory, repository_at, resolve_path, settings_of
from wisen.text.lazy_regex import lazy_regex

_WINDOWS = lazy_regex(r"[A-Za-z]:(?:[\\/]|$)|\\\\")


class Directory(NamedTuple):
    """A directory as it was written, and resolved if it exists."""

    written: str
    real: Path | None

    @property
    def path(self) -> str:
        """The resolved path if the directory exists; otherwise as it was written."""
        return self.written if self.real is None else str(self.real)


class Places:
    """The directories of one machine, and the repositories around them."""

    def __init__(self, home: Path) -> None:
        self._homes = {str(home), str(resolve_path(home))}
        self._home = str(home)
        self._global_settings = settings_of(home / ".config/git/config") + settings_of(home / ".gitconfig")
        self._directories: dict[tuple[str, str], Directory | None] = {}
        self._repositories: dict[Path, Repository | None] = {}

    def directory(self, place: str, start: str = "") -> Directory | None:
        """Return a directory as a log names it, relative to the session's `start`; None for what is not a path."""
        if (place, start) not in self._directories:
            self._directories[place, start] = self._look_up(place, start)
        return self._directories[place, start]

    def _look_up(self, place: str, start: str) -> Directory | None:
        if place == "~" or place.startswith("~/"):
            place = self._home + place[1:]
        elif place and not place.startswith("/") and not _WINDOWS.match(place):
            place = posixpath.join(start, place)
        written = _normalize(place)
        if written is None:
            return None
        exists = not _WINDOWS.match(place) and is_directory(Path(place))
        return Directory(written, resolve_path(Path(place)) if exists else None)

    def is_excluded(self, directory: Directory) -> bool:
        """Whether it is a home or the root of a file system, which are never a project."""
        paths = {directory.written, directory.path}
        return bool(paths & self._homes) or any(_is_root(path) for path in paths)

    def repository(self, directory: Directory) -> Repository | None:
        """Return the repository around an existing directory, unless it is the user's whole home."""
        if directory.real is None:
            return None
        visited: list[Path] = []
        repository: Repository | None = None
        for top in (directory.real, *directory.real.parents):
            if str(top) in self._homes or _is_root(str(top)):
                break
            if top in self._repositories:
                repository = self._repositories[top]
                break
            visited.append(top)
            repository = repository_at(top, self._global_settings)
            if repository is not None:
                roots = {str(repository.root), str(repository.claimed_root)}
                repository = None if roots & self._homes or any(map(_is_root, roots)) else repository
                break
        self._repositories.update(dict.fromkeys(visited, repository))
        return repository

    def repository_around(self, place: str) -> Repository | None:
        """Return the repository around a directory, by its path."""
        here = self.directory(place)
        return None if here is None else self.repository(here)

    def root_of(self, place: str) -> str | None:
        """Return the root of the main worktree around an existing directory."""
        here = self.directory(place)
        repository = None if here is None else self.repository(here)
        return None if repository is None else str(repository.root)

    def top_of(self, place: Path) -> Path | None:
        """Return the top of the repository around a directory, or the directory; None where there can be no project."""
        here = self.directory(str(place))
        if here is None or self.is_excluded(here):
            return None
        repository = self.repository(here)
        return Path(here.path) if repository is None else repository.top

    def checkout_of(self, place: Path) -> Path | None:
        """Return the top of the repository around a directory; None if there is none."""
        here = self.directory(str(place))
        repository = None if here is None else self.repository(here)
        return None if repository is None else repository.top


def is_windows(place: str) -> bool:
    """Whether a path is a Windows path, which never exists where this runs."""
    return _WINDOWS.match(place) is not None


def _normalize(place: str) -> str | None:
    """Normalize a path lexically; None if it is not absolute."""
    if "\0" in place:
        return None
    if _WINDOWS.match(place):
        path = ntpath.normpath(place.removeprefix("\\\\?\\"))
        return path[0].upper() + path[1:]
    return "/" + posixpath.normpath(place).lstrip("/") if place.startswith("/") else None


def _is_root(path: str) -> bool:
    if _WINDOWS.match(path):
        return ntpath.splitdrive(path)[1] in ("", "\\")
    return path == "/"
