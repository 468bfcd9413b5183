"""A lock on a folder that several processes write to: it needs no lock file, and ends with the process that held it."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wisen.errors import StoreBusy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LOCKED_ERRORS = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES})


@contextmanager
def lock_folder(folder: Path, *, timeout: float) -> Iterator[None]:
    """Lock a folder, waiting for another process that holds it. Raises: StoreBusy."""
    handle = _open_folder(folder)
    try:
        end = time.monotonic() + timeout
        while not _try_lock(handle):
            if time.monotonic() > end:
                raise StoreBusy(
                    f"{folder} is held by another process for more than {timeout:.0f} seconds. Try again later."
                )
            time.sleep(0.02)
        yield
    finally:
        os.close(handle)


def is_locked(folder: Path) -> bool:
    """Whether a process holds the lock on a folder now."""
    try:
        handle = _open_folder(folder)
    except OSError:
        return False
    try:
        return not _try_lock(handle)
    finally:
        os.close(handle)


def _open_folder(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _try_lock(handle: int) -> bool:
    """Try to lock; on a file system without locks everybody succeeds."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _LOCKED_ERRORS
    return True
