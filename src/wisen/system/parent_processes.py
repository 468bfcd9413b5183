"""Lists the ancestors of this process, from /proc or else from `ps`; whatever cannot be read ends the list."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.model.presence import Process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MAX_ANCESTORS = 64
"""No process has more ancestors than this: a cyclic table ends here."""
_PROC = Path("/proc")


def ancestors(start: int | None = None, read: Callable[[int], Process | None] | None = None) -> Iterator[Process]:
    """Yield the parent of a process, its parent and so on, nearest first; `read` looks up one process."""
    lookup = read or _process_lookup()
    process = lookup(os.getpid() if start is None else start)
    for _ in range(_MAX_ANCESTORS):
        if process is None or process.parent <= 0:
            return
        process = lookup(process.parent)
        if process is not None:
            yield process


def _process_lookup() -> Callable[[int], Process | None]:
    if (_PROC / "self" / "stat").exists():
        return _from_proc
    table = _ps_table()
    return table.get


def _from_proc(pid: int) -> Process | None:
    folder = _PROC / str(pid)
    try:
        # The program name is in parentheses and may contain anything, so the rest is parsed from the right.
        parent = int((folder / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    try:
        words = (folder / "cmdline").read_bytes().decode("utf-8", "replace").split("\0")
    except OSError:
        words = []
    try:
        executable = str((folder / "exe").readlink()).removesuffix(" (deleted)")
    except OSError:  # somebody else's process: what it calls itself must do
        executable = ""
    return Process(pid, parent, executable, tuple(word for word in words if word))


def _ps_table() -> dict[int, Process]:
    """Return every process that `ps` lists: it separates the words of a command line by spaces."""
    try:
        output = subprocess.run(
            ["/bin/ps", "-axww", "-o", "pid=,ppid=,command="],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=5,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return {}
    processes: dict[int, Process] = {}
    for line in output.splitlines():
        pid, parent, *words = line.split() or ["", ""]
        if pid.isdigit() and parent.isdigit() and words:
            processes[int(pid)] = Process(int(pid), int(parent), words[0], tuple(words))
    return processes
