"""Appends a note to a day's file in the home, to which other processes may append at the same moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import FileChanged
from wisen.text import daily

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.model.summary import DayLine
    from wisen.system.machine_ports import Files

_ATTEMPTS = 100
"""Each time that one process is too late, another one was in time: so many must have been."""


def append_to_day(files: Files, path: Path, line: DayLine, *, dry_run: bool = False) -> bool:
    """Append a line to a day's file unless it is there; returns whether it was not. Raises: FileError."""
    for attempt in range(1, _ATTEMPTS + 1):
        file = files.read(path)
        addition = daily.append_day_lines(file.content or b"", [line], title=path.stem)
        if addition and not dry_run:
            try:
                files.write(file, (file.content or b"") + addition)
            except FileChanged:
                if attempt == _ATTEMPTS:
                    raise
                continue
        break
    return bool(addition)
