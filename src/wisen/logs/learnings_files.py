"""The files of a workspace that may hold learnings, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import EntryType

if TYPE_CHECKING:
    from pathlib import Path


FILES = {
    EntryType.LEARNING: "LEARNINGS.md",
    EntryType.ERROR: "ERRORS.md",
    EntryType.FEATURE: "FEATURE_REQUESTS.md",
}


def file_of(type: EntryType) -> str:
    """The name of the file where entries of a type stand."""
    return FILES[type]


FOLDER = ".learnings"


def learnings_in(folder: Path) -> tuple[Path, ...]:
    """The files of a workspace that may hold learnings, there or not."""
    return tuple(folder / FOLDER / file_of(type_) for type_ in EntryType)
