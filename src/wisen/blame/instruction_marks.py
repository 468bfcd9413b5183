"""Tells by a mark whether an instruction file or its known history changed, without reading either."""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.system.git_view import ViewError, git_directories, head_of, top_of

if TYPE_CHECKING:
    from wisen.store.home import Home


def file_mark(home: Home, path: str) -> str:
    """Return a text that changes with the file, the commit that is checked out, or the stored snapshots of the file.

    It is empty where there is no such file.
    """
    try:
        status = os.stat(path)  # noqa: PTH116 - called for every known file in every run
    except (OSError, ValueError):
        return ""
    real = os.path.realpath(path)
    snapshots = home.ledger.file_snapshots.of(path, machine=home.machine)
    parts = (
        status.st_size,
        status.st_mtime_ns,
        real,
        _head(Path(real)),
        [(each.at, each.digest) for each in snapshots],
    )
    return blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _head(file: Path) -> str:
    top = top_of(file)
    try:
        return "" if top is None else head_of(git_directories(top))
    except (OSError, ViewError):
        return ""
