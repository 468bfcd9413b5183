"""Reports at the start of a session that learning has stopped, and what the user can do about it.

A run that fails leaves a record (`spool/stopped`). If nothing can be written there is none: writing and deleting a
small file shows that.
"""

from __future__ import annotations

import posix
from time import localtime, strftime, time

from .lean_json import loads
from .lean_paths import make_folders

_DAY = 86_400.0
_ROOM = 4096
"""Bytes that must fit: the smallest block of most file systems."""
_ENOUGH = 64 << 20
"""Bytes of free space with which a run does not fail for lack of space."""
_SAYS = {
    "damaged": "its ledger is damaged. `wisen doctor --repair` repairs it",
    "newer": "a newer wisen wrote its ledger. `pip install --upgrade wisen` brings one that can read it",
    "full": "the disk that holds {home} is full. Make room there",
    "read-only": "{home} cannot be written. Make it writable for you, or set WISEN_HOME to another folder",
    "failed": "every run fails. `wisen doctor` tells why",
}


def why_stopped(home: str) -> str:
    """Return what keeps wisen from learning, for the user; empty if nothing does."""
    kind, since = _write_problem(home), 0.0
    if not kind:
        try:
            note = _note(f"{home}/spool/stopped")
        except FileNotFoundError:
            return ""
        except (OSError, ValueError):
            note = {"kind": "failed"}
        kind, at = str(note.get("kind")), note.get("since")
        since = float(at) if isinstance(at, (int, float)) else 0.0
        if kind == "full" and _free(home) > _ENOUGH:
            return ""  # the disk was full when a run failed; now there is room
    says = _SAYS.get(kind, _SAYS["failed"]).format(home=home)
    return f"wisen has stopped learning{_for(since)}: {says}."


def _write_problem(home: str) -> str:
    """Return why nothing can be written to the home; empty if something can."""
    path = f"{home}/spool/.room-{posix.getpid()}.part"
    try:
        try:
            make_folders(f"{home}/spool", 0o700)
            handle = posix.open(path, posix.O_CREAT | posix.O_EXCL | posix.O_WRONLY | posix.O_CLOEXEC, 0o600)
            try:
                if posix.write(handle, bytes(_ROOM)) < _ROOM:
                    return "full"
            finally:
                posix.close(handle)
        finally:
            _unlink(path)
    except OSError as error:
        import errno

        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "read-only"
    return ""


def _free(home: str) -> int:
    disk = posix.statvfs(home)
    return disk.f_bavail * disk.f_frsize


def _unlink(path: str) -> None:
    try:
        posix.unlink(path)
    except OSError:
        return  # it was never created


def _note(path: str) -> dict[str, object]:
    handle = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_CLOEXEC)
    try:
        value = loads(posix.read(handle, _ROOM).decode("utf-8"))
    finally:
        posix.close(handle)
    return value if isinstance(value, dict) else {}


def _for(since: float) -> str:
    """Format since when, in days if it is long."""
    days = int((time() - since) / _DAY) if since else 0
    if not since:
        return ""
    return f" {days} days ago" if days > 1 else f" since {strftime('%Y-%m-%d', localtime(since))}"
