"""Runs commands of the program as forks of this process, followed by a watcher if one is given; and whole folders."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
import time
import traceback
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.battery.system_calls import trace
from tests.command_server import load_program, run_main

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.battery.system_calls import Watcher


class Done(NamedTuple):
    """How a command ended: its exit code, or minus the signal, and what it printed."""

    code: int
    out: str
    error: str


class Entry(NamedTuple):
    """A file, a link or a folder."""

    kind: str
    """`file`, `link` or `folder`."""
    mode: int
    content: bytes = b""
    """Of a link: where it leads."""


Tree = dict[str, Entry]
"""All that is below a folder, by its path from there."""


def run_command(home: Path, arguments: Sequence[str], *, stdin: str = "", watcher: Watcher | None = None) -> Done:
    """Run a command in a process of its own, in the project of the person whose home this is.

    What it prints goes beside the home.
    """
    _load()
    streams = [home.with_name(f"{home.name}.{name}") for name in ("in", "out", "error")]
    for stream in streams:
        stream.write_text("")
    streams[0].write_text(stdin)

    def be() -> int:
        for number, stream in enumerate(streams):
            opened = os.open(stream, os.O_RDWR | os.O_APPEND)
            os.dup2(opened, number)
            os.close(opened)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", errors="backslashreplace", closefd=False)  # noqa: SIM115
        os.environ.update({"HOME": str(home), "WISEN_HOME": str(home / "wisen")})
        os.chdir(home / "shop")
        sys.argv = ["wisen", *arguments]
        try:
            return run_main()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()

    code = fork_and_wait(be) if watcher is None else trace(be, watcher)
    return Done(code, streams[1].read_text(), streams[2].read_text())


def read_tree(folder: Path) -> Tree:
    """Everything below a folder."""
    found: Tree = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            status = path.lstat()
            mode = stat.S_IMODE(status.st_mode)
            relative = str(path.relative_to(folder))
            if stat.S_ISLNK(status.st_mode):
                found[relative] = Entry("link", mode, os.fsencode(os.readlink(path)))  # noqa: PTH115 - bytes are kept
            elif stat.S_ISDIR(status.st_mode):
                found[relative] = Entry("folder", mode)
            elif stat.S_ISREG(status.st_mode):
                found[relative] = Entry("file", mode, path.read_bytes())
    return found


def write_tree(folder: Path, tree: Mapping[str, Entry]) -> None:
    """Make a folder hold this and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, entry in sorted(tree.items()):
        path = folder / name
        if entry.kind == "folder":
            path.mkdir(exist_ok=True)
        elif entry.kind == "link":
            path.symlink_to(os.fsdecode(entry.content))
        else:
            path.write_bytes(entry.content)
        if entry.kind != "link":
            path.chmod(entry.mode)


def fork_and_wait(job: Callable[[], int], seconds: float = 120) -> int:
    """Run a job in a process of its own; returns its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = job()
        except BaseException:  # noqa: BLE001 - as Python itself would
            traceback.print_exc()
        finally:
            os._exit(code)
    end, wait = time.monotonic() + seconds, 1e-3
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise TimeoutError("a command did not end")
        time.sleep(wait := min(wait * 1.5, 0.01))
    return os.waitstatus_to_exitcode(found[1])


@cache
def _load() -> None:
    load_program()
