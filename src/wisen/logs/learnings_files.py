"""Names of the files in a workspace that may contain learnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import EntryType

if TYPE_CHECKING:
    from pathlib import Path


FILE_NAMES = {
    EntryType.LEARNING: "LEARNINGS.md",
    EntryType.ERROR: "ERRORS.md",
    EntryType.FEATURE: "FEATURE_REQUESTS.md",
}


def file_name_of(type: EntryType) -> str:
    """Return the name of the file that holds entries of a type."""
    return FILE_NAMES[type]


FOLDER = ".learnings"


def learnings_paths(folder: Path) -> tuple[Path, ...]:
    """Return the paths of a workspace's learnings files, whether or not they exist."""
    return tuple(folder / FOLDER / file_name_of(type_) for type_ in EntryType)
