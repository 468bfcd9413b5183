"""Finds out how a call ended, for an agent whose hook reports only the output: Codex.

The exit code is in the session's own log, in the record of the call, which is written before we are called. If it is
not found there, nothing is delivered: failures are not guessed from the output.
"""

from __future__ import annotations

import posix
from _stat import S_ISREG

from .lean_json import loads

_TAIL = 1 << 18
"""How many bytes at the end of the log are searched: the record is one of the last."""
_ITEM = "CommandExecution"

Payload = dict[str, object]


def failure_in(payload: Payload) -> Payload | None:
    """Return the event as a failure, with its output; None if the call did not fail, or that is unknown."""
    log, call = payload.get("transcript_path"), payload.get("tool_use_id")
    if not isinstance(log, str) or not isinstance(call, str) or not call:
        return None
    item = _item(log, call)
    code, printed = item.get("exit_code"), item.get("aggregated_output")
    # A negative code belongs to a process that the agent ended itself.
    if not isinstance(code, int) or code <= 0:
        return None
    return {**payload, "error": f"Exit code {code}\n{printed if isinstance(printed, str) else ''}"}


def _item(log: str, call: str) -> Payload:
    """Return what the log says about a finished command; empty if nothing."""
    for line in reversed(_end_of(log).split(b"\n")):
        if call.encode("utf-8", "surrogatepass") in line and b'"exit_code"' in line:
            try:
                record = loads(line.decode("utf-8", "replace"))
            except ValueError:
                continue  # its beginning is before the part that was read
            item = _inside(_inside(record, "payload"), "item")
            if item.get("type") == _ITEM and item.get("id") == call:
                return item
    return {}


def _end_of(log: str) -> bytes:
    try:
        # Checked before it is opened: opening a device can trigger it.
        if not S_ISREG(posix.stat(log).st_mode):
            return b""
        handle = posix.open(log, posix.O_RDONLY | posix.O_CLOEXEC | posix.O_NONBLOCK | posix.O_NOCTTY)
    except (OSError, ValueError):
        return b""
    try:
        status, pieces, left = posix.fstat(handle), [], _TAIL
        if not S_ISREG(status.st_mode):
            return b""
        posix.lseek(handle, max(0, status.st_size - _TAIL), 0)
        while left > 0 and (piece := posix.read(handle, left)):
            pieces.append(piece)
            left -= len(piece)
        return b"".join(pieces)
    except OSError:
        return b""
    finally:
        posix.close(handle)


def _inside(value: object, name: str) -> Payload:
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
