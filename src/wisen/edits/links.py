"""Resolves symbolic links on the way to a file, and decides whether an edit may follow them.

A link is followed to a file of the same kind inside the same project: the checkout, or the folder that contains the
file and its configuration. A file directly in an agent's own folder may be linked to another place in the user's home,
as dotfile managers do. Every part of a path below the project counts, linked folders too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_INSIDE_PROJECT = frozenset(
    {".claude", ".codex", ".gemini", ".hermes", ".opencode", ".openclaw", ".cursor", ".agents", ".learnings"}
) | {"memory", "sessions", "skills", "plugins", "wisen"}
"""Folders of agents and of ours that belong to the project around them and are not projects themselves."""
_GIT_FOLDER = ".git"


class Links:
    """Which links may be followed on this machine."""

    def __init__(
        self, user_home: Path | None = None, trusted: Iterable[Path] = (), workspaces: Iterable[Path] = ()
    ) -> None:
        """`trusted`: the folders in which agents keep the user's files, and wisen's home.

        Agents work in `workspaces`: a link there may be theirs, or whoever made the workspace put it there.
        """
        self._home = None if user_home is None else Path(os.path.abspath(user_home))  # noqa: PTH100 - links stay
        self._trusted = tuple(Path(os.path.abspath(folder)) for folder in trusted)  # noqa: PTH100
        self._roots = (*self._trusted, *(Path(os.path.abspath(folder)) for folder in workspaces))  # noqa: PTH100

    def target_of(self, path: str) -> str | None:
        """Return the file that links lead to; None if there are none on the way from the project to the file.

        Raises: FileError if they lead to a place that an edit must not follow them to.
        """
        absolute = Path(os.path.abspath(path))  # noqa: PTH100
        root = self._root_of(absolute)
        real, real_root = Path(os.path.realpath(absolute)), Path(os.path.realpath(root))
        if real == real_root / absolute.relative_to(root):
            return None
        reason = self._refusal_reason(absolute, real, real_root)
        if reason:
            raise FileError(
                f"{path} is a link to {real}, {reason}, and was left alone. "
                "Put a file there instead of the link, or make the change where it leads yourself."
            )
        return str(real)

    def _refusal_reason(self, path: Path, real: Path, root: Path) -> str:
        if real.suffix.lower() != path.suffix.lower():
            return "which is a file of another kind"
        if _GIT_FOLDER in real.parts:
            return "which belongs to git"
        if real.is_relative_to(root):
            return ""
        if path.parent in self._trusted:
            home = None if self._home is None else Path(os.path.realpath(self._home))
            if home is None or not real.is_relative_to(home):
                return "which is outside of your home"
            return "" if _is_mine(path) and _is_mine(real) else "which is not yours alone"
        return f"which is outside of {root}"

    def _root_of(self, path: Path) -> Path:
        """Return where a file's project begins: links at it and above it are how the user gets there."""
        containing = [folder for folder in self._roots if path.is_relative_to(folder) and folder != path]
        own_folder = max(containing, key=lambda folder: len(folder.parts), default=None)
        top = next(self._checkouts_around(path), None)
        if own_folder is not None and (top is None or own_folder.is_relative_to(top)):
            return own_folder
        if top is not None:
            return top
        return next(folder for folder in path.parents if folder.name not in _INSIDE_PROJECT)

    def _checkouts_around(self, path: Path) -> Iterator[Path]:
        for folder in path.parents:
            if self._home is not None and self._home.is_relative_to(folder):
                return  # a home is no project, even if its dotfiles are in git
            if folder.name not in _INSIDE_PROJECT and os.path.lexists(folder / _GIT_FOLDER):
                yield folder


def user_links(user_home: Path, agents: Mapping[str, Path], home: Path) -> Links:
    """Build the links of a user: `agents` gives the folders that were configured for some, `home` is wisen's own."""
    trusted = [folder for agent, folder in agents.items() if agent != "openclaw"]
    usual = (user_home / name for name in (".gemini", ".hermes", ".config/opencode", ".openclaw"))
    workspaces = [folder for agent, folder in agents.items() if agent == "openclaw"]
    return Links(user_home, (*trusted, *usual, home), workspaces)


def _is_mine(path: Path) -> bool:
    status = path.lstat()
    return status.st_uid == os.geteuid() and (path.is_symlink() or not status.st_mode & 0o002)
