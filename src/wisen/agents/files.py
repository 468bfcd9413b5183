"""Session files on disk: walking to them, and what a source is made of."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDS = 1 << 20


def files_below(base: Path, suffix: str | tuple[str, ...]) -> Iterator[Path]:
    """Every file with this ending, or one of these, at or below a path, in a stable order."""
    if base.is_file():
        yield base
        return
    for folder, folders, files in os.walk(base):
        folders.sort()
        # A pipe of that name would be waited for without end.
        found = (Path(folder, file) for file in sorted(files) if file.endswith(suffix))
        yield from (path for path in found if path.is_file())


def source_at(agent: str, path: Path) -> Source:
    """A file as a source; one that cannot be looked at is still one, so that reading it says why."""
    try:
        status = path.stat()
    except OSError:
        return Source(agent=agent, path=path, size=0, modified_ns=0)
    return Source(agent=agent, path=path, size=status.st_size, modified_ns=status.st_mtime_ns)


def ends_of(path: Path) -> tuple[bytes, ...]:
    """The end and the beginning of a file, in the order in which what is newest is looked for; nothing without one."""
    try:
        with path.open("rb") as file:
            beginning = file.read(_ENDS)
            file.seek(max(0, os.fstat(file.fileno()).st_size - _ENDS))
            return file.read(), beginning
    except OSError:
        return ()


def value_in(path: Path, key: bytes) -> str | None:
    """The value behind a key (given with quotes and colon): the last in a file's end, else in its beginning."""
    for part in ends_of(path):
        _, found, after = part.rpartition(key)
        value = after[:40].partition(b'"')[0]
        if found and value:
            return value.decode("ascii", "replace")
    return None
