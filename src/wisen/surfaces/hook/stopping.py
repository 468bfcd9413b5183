"""Tells at the start of a session that learning has stopped, and what the user can do about it.

A run that fails leaves a note (`spool/stopped`). Where nothing can be written there is none: a small file that is
written and taken away shows that.
"""

from __future__ import annotations

import errno
import os
from time import localtime, strftime, time

from .lean_json import loads

_DAY = 86_400.0
_ROOM = 4096
"""Bytes that must find room: the least that most disks give to a file."""
_ENOUGH = 64 << 20
"""Bytes with which a run does not end for lack of room."""
_SAYS = {
    "damaged": "its ledger is damaged. `wisen doctor --repair` repairs it",
    "newer": "a newer wisen wrote its ledger. `pip install --upgrade wisen` brings one that can read it",
    "full": "the disk that holds {home} is full. Make room there",
    "read-only": "{home} cannot be written. Make it writable for you, or set WISEN_HOME to another folder",
    "failed": "every run fails. `wisen doctor` tells why",
}


def stopped(home: str) -> str:
    """What keeps wisen from learning, for the user; empty where nothing does."""
    kind, since = _refused(home), 0.0
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
            return ""  # it was full when a run failed; the next one has room
    says = _SAYS.get(kind, _SAYS["failed"]).format(home=home)
    return f"wisen has stopped learning{_for(since)}: {says}."


def _refused(home: str) -> str:
    """Why nothing can be written to the home; empty where something can."""
    path = f"{home}/spool/.room-{os.getpid()}.part"
    try:
        try:
            os.makedirs(f"{home}/spool", mode=0o700, exist_ok=True)
            handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
            try:
                if os.write(handle, bytes(_ROOM)) < _ROOM:
                    return "full"
            finally:
                os.close(handle)
        finally:
            _unlink(path)
    except OSError as error:
        return "full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "read-only"
    return ""


def _free(home: str) -> int:
    disk = os.statvfs(home)
    return disk.f_bavail * disk.f_frsize


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return  # it was never made


def _note(path: str) -> dict[str, object]:
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        value = loads(os.read(handle, _ROOM).decode("utf-8"))
    finally:
        os.close(handle)
    return value if isinstance(value, dict) else {}


def _for(since: float) -> str:
    """Since when, in days where it is long."""
    days = int((time() - since) / _DAY) if since else 0
    if not since:
        return ""
    return f" {days} days ago" if days > 1 else f" since {strftime('%Y-%m-%d', localtime(since))}"
