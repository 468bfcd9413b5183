"""Finds the memory folder that a workspace keeps itself, starting from a directory in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text import daily

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_FOLDER = "memory"
_MEMORY_FILES = ("SOUL.md", "MEMORY.md")
"""Next to one of these the folder is an agent's memory. AGENTS.md is in many repositories, some of which have code in a
folder of that name: there the folder must already contain a daily file."""


def find_memory_folder(path: Path, is_same_project: Callable[[Path], bool]) -> Path | None:
    """Return the memory folder that a workspace keeps, at a directory or above it; None if it keeps none.

    `is_same_project` decides whether a directory above is part of the same project.
    """
    for folder in (path, *path.parents):
        memory = folder / _FOLDER
        if folder != path and not is_same_project(folder):
            return None
        if not memory.is_dir():
            continue
        if any((folder / name).is_file() for name in _MEMORY_FILES):
            return memory
        if (folder / "AGENTS.md").is_file() and any(daily.NAME.fullmatch(each.name) for each in memory.glob("*.md")):
            return memory
    return None
