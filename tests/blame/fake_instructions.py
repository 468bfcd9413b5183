"""In-memory instruction files for tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.instruction import InstructionFile


class MemoryInstructions:
    """Gives the files that it was given."""

    def __init__(self, files: Iterable[InstructionFile] = ()) -> None:
        self._files = {file.path: file for file in files}

    def put(self, file: InstructionFile) -> None:
        """Have a file, in place of one with the same path."""
        self._files[file.path] = file

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """The files of the user and those that speak to one of these directories or below, by path."""
        found = (
            file
            for file in self._files.values()
            if not file.root or any(Path(file.root).is_relative_to(root) for root in roots)
        )
        return tuple(sorted(found, key=lambda file: file.path))

    def file(self, path: Path) -> InstructionFile:
        """One file. Raises: UsageError where there is none."""
        if str(path) not in self._files:
            raise UsageError(f"{path} is not a readable file. Give the path of an instruction file.")
        return self._files[str(path)]
