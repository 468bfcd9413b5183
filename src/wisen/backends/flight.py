"""One cycle at a time: a lock that its holder cannot leave behind, because the system lets go of it with him."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wisen.errors import StoreReadOnly

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def alone(home: Path) -> Iterator[bool]:
    """Whether nobody else works on this home; it is held as long as the block lasts. Raises: StoreReadOnly."""
    file = home / "cycle.lock"
    try:
        home.mkdir(parents=True, exist_ok=True)
        handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreReadOnly(
            f"{file} cannot be written: {error.strerror}. Set WISEN_HOME to a folder of yours."
        ) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield True
    finally:
        os.close(handle)
