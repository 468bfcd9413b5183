"""Finds the repository of a directory that no longer exists: a removed worktree or a deleted folder.

Below a repository that still exists, the path alone is enough. Outside of it, git's own list of worktrees must confirm
it. What the ledger knows as a separate project stays one, unless its path is that of a worktree: otherwise a repository
that was cloned into another one and deleted would pass on what was said there.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.logs.repository import is_directory, listed_worktrees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.logs.repository import Repository

_WORKTREES = ("/.claude/worktrees/", "/.worktrees/")
"""Where agents and people put worktrees inside the repository that they belong to."""


class RemovedWorktrees:
    """The repositories of directories that no longer exist, as seen by one resolver."""

    def __init__(self, repository: Callable[[str], Repository | None], is_known: Callable[[str], bool]) -> None:
        """`repository` finds the one around an existing directory; `is_known`: whether sessions worked in a place."""
        self._repository = repository
        self._is_known = is_known
        self._roots_by_worktree: dict[str, str] = {}
        self._scanned_roots: set[str] = set()
        self._scanned_places: set[str] = set()

    def scan(self, places: Iterable[str]) -> None:
        """Read which worktrees the repositories around these places list; each place is looked up once."""
        new = {*places} - self._scanned_places
        self._scanned_places |= new
        for place in sorted(new):
            repository = self._repository(place)
            root = None if repository is None else str(repository.root)
            if root is not None and root not in self._scanned_roots:
                self._scanned_roots.add(root)
                for worktree in listed_worktrees(Path(root)):
                    self._roots_by_worktree.setdefault(worktree, root)

    def main_worktree_of(self, path: str, *, was_seen: bool) -> str | None:
        """Return the main worktree that a removed directory was part of; None if nothing says so.

        `was_seen`: the ledger knows it as a separate project.
        """
        existing_parent = next((str(each) for each in Path(path).parents if is_directory(each)), None)
        repository = None if existing_parent is None else self._repository(existing_parent)
        worktree_owner = worktree_parent(path)
        if repository is not None:
            top = str(repository.top)
            if (
                not was_seen
                or (worktree_owner is not None and _is_within(worktree_owner, top))
                or self._is_listed(path, top)
            ):
                return top
            return None
        if not was_seen:
            self.scan([] if existing_parent is None else [existing_parent])
            root = next(
                (self._roots_by_worktree[each] for each in _with_parents(path) if each in self._roots_by_worktree), None
            )
            if root is not None and is_directory(Path(root)):
                return root
        # The whole repository is gone or on another disk; its worktrees were inside it all the same.
        return (
            worktree_owner
            if worktree_owner is not None and not is_directory(Path(worktree_owner)) and self._is_known(worktree_owner)
            else None
        )

    def _is_listed(self, path: str, top: str) -> bool:
        self.scan([top])
        return any(self._roots_by_worktree.get(each) == top for each in _with_parents(path))


def worktree_parent(path: str) -> str | None:
    """Return the directory that contains the usual worktree folder of a path; None if the path is in no such folder."""
    starts = [at for marker in _WORKTREES if (at := path.find(marker)) > 0]
    return path[: min(starts)] if starts else None


def _with_parents(path: str) -> tuple[str, ...]:
    return (path, *map(str, Path(path).parents))


def _is_within(path: str, above: str) -> bool:
    return path == above or path.startswith(above.rstrip("/") + "/")
