"""Makes a process deterministic: a frozen clock and counted random bytes.

The clock is set anew for each process, so that time goes on from one command to the next. Waiting (`time.monotonic`)
goes by the real clock.
"""

from __future__ import annotations

import ctypes
import datetime
import hashlib
import os
import time
from typing import Any

_TERMINAL, _SESSION = "/dev/pts/0", 7
_REAL_DATETIME = datetime.datetime
_REAL_LOCALTIME, _REAL_GMTIME, _REAL_STRFTIME = time.localtime, time.gmtime, time.strftime
_REAL_UTIME = os.utime


class Steady:
    """What stands still in this process: `now` in seconds and the number of the command."""

    now = 0.0
    number = 0
    taken = 0


def install() -> None:
    """Replace clock and randomness, before anything else is imported."""
    proxy: Any = _REAL_DATETIME.__dict__  # the type itself stays what it is, for whoever looks at types
    fields: Any = ctypes.py_object.from_address(id(proxy) + ctypes.sizeof(ctypes.c_void_p) * 2).value
    fields["now"] = classmethod(_now)
    fields["utcnow"] = classmethod(lambda _: _now(_REAL_DATETIME, datetime.UTC).replace(tzinfo=None))
    fields["today"] = classmethod(lambda _: _now(_REAL_DATETIME))
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(_REAL_DATETIME))
    replaced: dict[str, Any] = {
        "time": lambda: Steady.now,
        "time_ns": lambda: int(Steady.now * 1_000_000_000),
        "perf_counter": lambda: 1000.0,
        "perf_counter_ns": lambda: 1_000_000_000_000,
        "localtime": lambda seconds=None: _REAL_LOCALTIME(Steady.now if seconds is None else seconds),
        "gmtime": lambda seconds=None: _REAL_GMTIME(Steady.now if seconds is None else seconds),
        "strftime": lambda form, moment=None: _REAL_STRFTIME(form, moment or _REAL_LOCALTIME(Steady.now)),
    }
    for name, replacement in replaced.items():
        setattr(time, name, replacement)
    of_system = {"urandom": _urandom, "utime": _utime, "ttyname": lambda _: _TERMINAL, "getsid": lambda _: _SESSION}
    for name, replacement in of_system.items():
        setattr(os, name, replacement)


def begin(now: float, number: int) -> None:
    """Set the clock of this process; ids of two numbers are never the same."""
    Steady.now, Steady.number, Steady.taken = now, number, 0


def _now(cls: Any, tz: datetime.tzinfo | None = None) -> Any:
    return cls.fromtimestamp(Steady.now, tz)


def _urandom(size: int) -> bytes:
    """Counted in front, so that ids which are made one after the other sort in that order, as by a clock that ticks."""
    Steady.taken += 1
    counted = Steady.taken.to_bytes(4, "big") if size > 8 else b""
    stream = hashlib.shake_256(f"{Steady.number}:{Steady.taken}".encode()).digest(size)
    return (counted + stream)[:size]


def _utime(path: Any, times: Any = None, **named: Any) -> None:
    if times is None and "ns" not in named:
        times = (Steady.now, Steady.now)
    _REAL_UTIME(path, times, **named) if times is not None else _REAL_UTIME(path, **named)
