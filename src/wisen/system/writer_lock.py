"""The writer lock of a home: one process at a time records what logs contain (learn, cycle, forget, repair).

It cannot be left behind, because the system releases it with the process. Hooks never take it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wisen.errors import StoreBusy, StoreReadOnly
from wisen.system.durable_folders import create_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

TIMEOUT_SECONDS = 600.0
"""Seconds after which a writer stops waiting for another: a first read of many logs may take minutes."""
_POLL_SECONDS = 0.1
_LOCKED_ERRORS = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK})
"""The errors that mean that another process holds the lock; any other means that the file system has no locks."""

_hold_counts: dict[tuple[str, int], int] = {}
"""How often each thread of this process holds the lock of a home, so that a thread never waits for itself."""


class WriterLock:
    """The lock of one home, between processes and between threads of one process."""

    def __init__(self, home: Path, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self._home, self._timeout = home, timeout

    @contextmanager
    def hold(self, work: str) -> Iterator[None]:
        """Hold the lock during the block; if it has to wait for another writer, that is reported once.

        Raises:
            StoreBusy: another writer did not finish in time.
            StoreReadOnly: the home cannot be written.
        """
        with self._wait_until_free(work, lambda: False):
            yield

    @contextmanager
    def hold_unless_same(self, work: str) -> Iterator[bool]:
        """Like `hold`, but if another process does the same work, leave it to that one and yield False."""
        with self._wait_until_free(work, lambda: self.is_doing(work)) as is_held:
            yield is_held

    @contextmanager
    def _wait_until_free(self, work: str, should_give_up: Callable[[], bool]) -> Iterator[bool]:
        deadline = time.monotonic() + self._timeout
        has_reported = False
        while True:
            with self.try_hold(work) as free:
                if free:
                    yield True
                    return
            if should_give_up():
                yield False
                return
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"Another wisen ({self.holder() or 'an unknown process'}) has held {self._home} for more than "
                    f"{self._timeout:g} seconds. Wait for it to end, or end that process, and run this again."
                )
            if not has_reported:
                _warn(f"another wisen is learning ({self.holder() or 'an unknown process'}); waiting")
                has_reported = True
            time.sleep(_POLL_SECONDS)

    @contextmanager
    def try_hold(self, work: str) -> Iterator[bool]:
        """Yield whether nobody else writes; if so, hold the lock during the block. Raises: StoreReadOnly."""
        key = (os.path.realpath(self._home), threading.get_ident())
        if key in _hold_counts:
            _hold_counts[key] += 1
            try:
                yield True
            finally:
                _hold_counts[key] -= 1
            return
        handle = self._open_file()
        try:
            if not _try_lock(handle):
                yield False
                return
            # A full disk must not keep anybody from the lock: the holder's name is only informative.
            try:
                os.ftruncate(handle, 0)
                os.write(handle, f"{os.getpid()} {work}\n".encode())
            except OSError:
                pass
            _hold_counts[key] = 1
            try:
                yield True
            finally:
                del _hold_counts[key]
        finally:
            os.close(handle)

    def holder(self) -> str:
        """Describe who took the lock last; empty if unknown."""
        words = self._read_holder()
        return f"process {words[0]}, {words[1]}" if len(words) > 1 else f"process {words[0]}" if words else ""

    def is_doing(self, work: str) -> bool:
        """Whether the last holder does that work; a process of an older version runs a cycle."""
        words = self._read_holder()
        return len(words) == 1 or words[1:] == [work]

    def _read_holder(self) -> list[str]:
        try:
            return (self._home / "cycle.lock").read_text(encoding="ascii", errors="replace").split()[:2]
        except OSError:
            return []

    def _open_file(self) -> int:
        file = self._home / "cycle.lock"
        try:
            create_folder(self._home)
            return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreReadOnly(
                f"{file} cannot be written: {error.strerror}. Set WISEN_HOME to a folder of yours."
            ) from error


def _warn(message: str) -> None:
    """Show a message; a program with its own log gets it there."""
    import logging

    logging.getLogger("wisen").warning(message)


def _try_lock(handle: int) -> bool:
    """Try to lock; on a file system without locks, only the keys of the ledger keep order."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _LOCKED_ERRORS
    return True
