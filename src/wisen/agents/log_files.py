"""Finds session files on disk and describes them as sources."""

from __future__ import annotations

import os
import stat
from itertools import islice
from typing import TYPE_CHECKING

from wisen.model.source import Source
from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_END_BYTES = 1 << 20
_MAX_ENTRIES = 2_000_000
"""Directory entries that are examined below one folder."""
_MAX_DEPTH = 64
"""Nesting depth; no agent's own folders are nested deeper than ten."""


def files_below(base: Path, suffix: str | tuple[str, ...]) -> Iterator[Path]:
    """Yield every file with this suffix, or one of these, at or below a path, in a stable order."""
    if base.is_file():
        yield base
        return
    for folder, _, files in folders_below(base):
        # Opening a pipe of that name would block forever.
        paths = (folder / file for file in sorted(files) if file.endswith(suffix))
        yield from (path for path in paths if path.is_file())


def sources_below(agent: str, base: Path, suffix: str) -> Iterator[Source]:
    """Yield what `files_below` yields as sources; each file is looked at once, because there may be many thousands."""
    if base.is_file():
        yield file_source(agent, base)
        return
    for folder, _, files in folders_below(base):
        prefix = str(folder / "_")[:-1]
        for name in sorted(files):
            if name.endswith(suffix):
                file = prefix + name
                try:
                    status = os.stat(file)  # noqa: PTH116 - called for every log file in every run
                except OSError:
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield Source(agent=agent, file=file, size=status.st_size, modified_ns=status.st_mtime_ns)


def folders_below(base: Path) -> Iterator[tuple[Path, list[str], list[str]]]:
    """Yield a folder and all folders below it with their folder and file names, like `os.walk`.

    Folders are sorted, and callers may remove names from the list to skip them. Symbolic links to folders are not
    followed, as they may form a cycle. Depth, where `os.walk` ends in an error, and the number of entries are bounded.
    """
    pending, remaining = [(base, 0)], _MAX_ENTRIES
    while pending and remaining > 0:
        folder, depth = pending.pop()
        folders: list[str] = []
        files: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in islice(entries, remaining):
                    (folders if _is_folder(entry) else files).append(entry.name)
        except OSError:
            continue
        remaining -= len(folders) + len(files)
        folders.sort()
        yield folder, folders, files
        if depth < _MAX_DEPTH:
            pending += [(folder / name, depth + 1) for name in reversed(folders)]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def file_source(agent: str, path: Path) -> Source:
    """Return a file as a source; a file without a readable status is one too, so that reading it reports why."""
    try:
        status = path.stat()
    except OSError:
        return Source(agent=agent, file=str(path), size=0, modified_ns=0)
    return Source(agent=agent, file=str(path), size=status.st_size, modified_ns=status.st_mtime_ns)


def read_ends(path: Path) -> tuple[bytes, ...]:
    """Return the end and the beginning of a file, the newest part first; empty if it cannot be read."""
    try:
        with open_regular_file(path) as file:
            beginning = read_at_most(file, _END_BYTES)
            file.seek(max(0, os.fstat(file.fileno()).st_size - _END_BYTES))
            return read_at_most(file, _END_BYTES), beginning
    except OSError:
        return ()


def find_json_value(path: Path, key: bytes) -> str | None:
    """Return the value after a key (given with quotes and colon): the last in the file's end, else in its beginning."""
    for part in read_ends(path):
        _, separator, after = part.rpartition(key)
        value = after[:40].partition(b'"')[0]
        if separator and value:
            return value.decode("ascii", "replace")
    return None
