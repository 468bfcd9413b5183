"""Starts a cycle that outlives the agent's turn, without waiting for it."""

from __future__ import annotations

import posix
import sys
from posix import _exit  # type: ignore[attr-defined,unused-ignore]
from time import time

from .lean_paths import make_folders

_REST = 30.0
"""Seconds in which ends of turns start only one cycle; the end of a session always starts one."""
_SECRET = (b"TOKEN", b"KEY", b"SECRET", b"PASSWORD")
_PROGRAM = "from wisen.surfaces.cli import main; main()"


def start_cycle(home: str, *, at_once: bool, quick: bool = True) -> bool:
    """Start a cycle, unless one was just started. The cycle itself makes sure that only one runs at a time."""
    sign = f"{home}/spool/wake"
    try:
        rested = time() - posix.stat(sign).st_mtime
    except FileNotFoundError:
        rested = _REST
        make_folders(f"{home}/spool", 0o700)
    if not at_once and 0 <= rested < _REST:
        return False
    posix.close(posix.open(sign, posix.O_CREAT | posix.O_WRONLY, 0o600))
    posix.utime(sign)
    child = posix.fork()
    if child:
        posix.waitpid(child, 0)
        return True
    try:
        posix.setsid()
        if posix.fork() == 0:
            _become_cycle(home, ["--quick"] if quick else [])
    finally:
        _exit(0)


def _become_cycle(home: str, flags: list[str]) -> None:
    null = posix.open("/dev/null", posix.O_RDWR)
    for each in (0, 1, 2):
        posix.dup2(null, each)
    posix.chdir(home)
    # The cycle talks to nobody, so it needs no API keys. -P: do not import modules from the current folder.
    environment = {name: value for name, value in posix.environ.items() if not name.upper().endswith(_SECRET)}
    environment[b"WISEN_HOME"] = home.encode("utf-8", "surrogateescape")
    posix.execve(sys.executable, [sys.executable, "-P", "-c", _PROGRAM, "cycle", *flags], environment)
