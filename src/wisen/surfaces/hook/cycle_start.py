"""Starts a cycle that outlives the agent's turn, without waiting for it."""

from __future__ import annotations

import os
import sys
from time import time

_REST = 30.0
"""Seconds in which ends of turns start only one cycle; the end of a session always starts one."""
_SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD")
_PROGRAM = "from wisen.surfaces.cli import main; main()"


def start_cycle(home: str, *, at_once: bool, quick: bool = True) -> bool:
    """Start a cycle, unless one was just started. The cycle itself makes sure that only one runs at a time."""
    sign = f"{home}/spool/wake"
    try:
        rested = time() - os.stat(sign).st_mtime
    except FileNotFoundError:
        rested = _REST
        os.makedirs(f"{home}/spool", mode=0o700, exist_ok=True)
    if not at_once and 0 <= rested < _REST:
        return False
    os.close(os.open(sign, os.O_CREAT | os.O_WRONLY, 0o600))
    os.utime(sign)
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return True
    try:
        os.setsid()
        if os.fork() == 0:
            _become_cycle(home, ["--quick"] if quick else [])
    finally:
        os._exit(0)


def _become_cycle(home: str, flags: list[str]) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1, 2):
        os.dup2(null, each)
    os.chdir(home)
    # The cycle talks to nobody, so it needs no API keys. -P: do not import modules from the current folder.
    environment = {name: value for name, value in os.environ.items() if not name.upper().endswith(_SECRET)}
    environment["WISEN_HOME"] = home
    os.execve(sys.executable, [sys.executable, "-P", "-c", _PROGRAM, "cycle", *flags], environment)  # noqa: S606 - no shell is wanted
