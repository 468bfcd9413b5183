"""Finds the programs that we start: by an absolute path, and never one that a project could have put there.

Relative or empty PATH entries, world-writable folders, and anything in a checkout, in `node_modules` or in a virtual
environment are skipped: PATH is inherited from an agent that works in a project.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_PROJECT_FOLDERS = frozenset({"node_modules", ".venv", "venv"})
_PACKAGE_MANAGERS = ("/opt/homebrew", "/usr/local", "/home/linuxbrew/.linuxbrew")
"""Homebrew itself is a checkout."""


def find_program(name: str, environment: Mapping[str, str], outside: Iterable[Path] = ()) -> str | None:
    """Return the absolute path of a program in the user's PATH; None if there is none that may be started.

    `outside`: folders in which it must not be, such as the one that is queried.
    """
    if not name or os.path.basename(name) != name:  # noqa: PTH119
        return None
    user_home = Path(os.path.realpath(environment.get("HOME") or "/"))
    forbidden = tuple(Path(os.path.realpath(folder)) for folder in outside)
    for entry in environment.get("PATH", os.defpath).split(os.pathsep):
        folder = Path(entry)
        if not entry or not folder.is_absolute() or ".." in folder.parts:
            continue
        real = Path(os.path.realpath(folder))
        program = folder / name
        target = Path(os.path.realpath(program))
        if not os.access(target, os.X_OK) or not _is_regular(target):
            continue
        if _PROJECT_FOLDERS.intersection((*folder.parts, *real.parts)):
            continue
        if any(_is_in_project(each, user_home, forbidden) for each in (folder, real, target.parent)):
            continue
        if any(_is_open_to_all(each) for each in (folder, real, target.parent, target)):
            continue
        return str(program)
    return None


def _is_in_project(folder: Path, user_home: Path, forbidden: tuple[Path, ...]) -> bool:
    if any(folder.is_relative_to(each) for each in forbidden):
        return True
    # Every folder above is checked: a checkout inside another, hidden one is still a checkout.
    return any(
        os.path.lexists(top / ".git") and not _is_tool_checkout(top, user_home) for top in (folder, *folder.parents)
    )


def _is_tool_checkout(top: Path, user_home: Path) -> bool:
    """Whether a checkout is no project: the home itself, or one where a tool installs itself, as ~/.nvm does."""
    if user_home.is_relative_to(top) or str(top) in _PACKAGE_MANAGERS:
        return True
    return top.is_relative_to(user_home) and top.relative_to(user_home).parts[0].startswith(".")


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _is_open_to_all(path: Path) -> bool:
    """Whether everybody could replace it, or a folder above it."""
    for each in (path, *path.parents):
        try:
            mode = each.stat().st_mode
        except OSError:
            return True
        # In a sticky folder others cannot replace what is mine; what is directly in it may be anybody's.
        if mode & stat.S_IWOTH and (each == path or not mode & stat.S_ISVTX):
            return True
    return False
