"""Writes a note to the home when learning stops, so that the hook client can report it at the next session start.

`spool/stopped` contains the kind of problem and since when it exists; no error text. A successful run removes it.
Where the disk is full or read-only there is no note: the client notices that by itself.
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from wisen.errors import StoreBusy, StoreDamaged, StoreError, StoreNewer, StoreReadOnly, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.system.machine_ports import Clock

_DISK_FULL_MESSAGES = ("disk is full", "No space left", "Disk quota exceeded")


@contextmanager
def record_stop(home: Path, clock: Clock) -> Iterator[None]:
    """Write a note if the block fails; remove the note if it succeeds."""
    try:
        yield
    except (UsageError, StoreBusy):
        raise  # a wrong option, or another active run, does not mean that learning has stopped
    except Exception as error:
        write_stop_note(home, _kind_of(error), clock)
        raise
    remove_stop_note(home)


def write_stop_note(home: Path, kind: str, clock: Clock) -> None:
    """Write the note, with the time of the first occurrence. Where nothing can be written there is no note."""
    file, now = _file(home), clock.now().timestamp()
    part = file.with_name(f"{file.name}.{os.getpid()}.part")
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, exist_ok=True)
        since = now
        with suppress(ValueError, OSError, KeyError, TypeError):
            before = json.loads(file.read_bytes())
            since = float(before["since"]) if before["kind"] == kind else now
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "w", encoding="ascii") as new:
                json.dump({"kind": kind, "since": since, "at": now}, new)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)


def remove_stop_note(home: Path) -> None:
    """Remove the note."""
    with suppress(OSError):
        _file(home).unlink(missing_ok=True)


def _file(home: Path) -> Path:
    return home / "spool" / "stopped"


def _kind_of(error: Exception) -> str:
    """Return the problem in one word: the client has the advice for each."""
    if isinstance(error, StoreDamaged):
        return "damaged"
    if isinstance(error, StoreNewer):
        return "newer"
    if isinstance(error, StoreReadOnly):
        return "read-only"
    if isinstance(error, (StoreError, OSError)) and any(each in str(error) for each in _DISK_FULL_MESSAGES):
        return "full"
    return "failed"
