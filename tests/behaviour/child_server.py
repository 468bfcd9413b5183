"""Forks a process for each command or hook, each with a clock of its own: `python -P child_server.py command|hook`.

Orders are JSON lines on the input, replies JSON lines on the output. Libraries are loaded beforehand. The program's own
modules are loaded by each command itself, as in a process of its own, unless an order has `preload`: then what earlier
commands loaded is there already, which is quicker.
"""

# Streams stay open as long as the process, and a hook's process loads next to nothing:
# ruff: noqa: PTH100, PTH108, PTH110, PTH118, PTH120, PTH123, SIM115

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import signal
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import determinism  # type: ignore[import-not-found,unused-ignore]

_PACKAGE = "wisen"
_LIBRARIES = ("typer", "rich.console", "rich.table", "rich.progress", "msgspec", "ahocorasick_rs", "platformdirs")
_MORE = (
    "ruamel.yaml",
    "sqlite3",
    "subprocess",
    "tomllib",
    "difflib",
    "concurrent.futures",
    "multiprocessing",
    "zstandard",
)
_REAL_UTIME = os.utime
_PID, _ALIVE = 40_000, 100
_known: set[str] = set()
"""The modules that commands have loaded."""


def main(kind: str) -> None:
    """Answer orders until the input ends."""
    if os.fork():
        os._exit(0)  # whoever starts the recording may be an agent: commands are run by nobody
    os.setsid()
    determinism.install()
    if kind == "command":
        for name in (*_LIBRARIES, *_MORE):
            importlib.import_module(name)
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in sys.stdin:
        order = json.loads(line)
        replies.write(json.dumps(_run(kind, order)) + "\n")
        replies.flush()


def _run(kind: str, order: dict[str, Any]) -> dict[str, Any]:
    """Run one order to its end; files that it changed get the time of its clock."""
    typed = _terminal(order["typed"]) if order.get("typed") is not None else None
    sent = os.pipe() if order.get("lines") else None
    if order.get("preload"):
        _load_known()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writing, _ALIVE)
            if sent:
                os.dup2(sent[0], 0)
            _become(kind, order, typed)
        finally:
            os._exit(99)
    os.close(writing)
    if typed:
        os.close(typed[1])
    if sent:
        os.close(sent[0])
        _hold_dialogue(sent[1], order)
    code, spent = _wait(child, float(order.get("seconds", 120)), typed[0] if typed else None)
    if typed:
        os.close(typed[0])
    if kind == "hook":
        os.read(reading, 1)  # ends with the last process that the hook leaves behind
    os.close(reading)
    _note_modules(order["modules"])
    settle_times([Path(each) for each in order["settle"]], float(order["since"]), float(order["now"]))
    return {"code": code, "seconds": spent}


def _note_modules(path: str) -> None:
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            _known.update(file.read().split())
        os.unlink(path)


def _load_known() -> None:
    for name in sorted(_known.difference(sys.modules)):
        try:
            importlib.import_module(name)
        except Exception:  # noqa: BLE001 - then each command tries for itself
            continue
    _known.clear()
    gc.freeze()  # pages that are not written to need no copies


def _terminal(typed: str) -> tuple[int, int]:
    """A terminal in which something was typed already."""
    ours, theirs = os.openpty()
    os.write(ours, typed.encode())
    return ours, theirs


def _hold_dialogue(writing: int, order: dict[str, Any]) -> None:
    """Send lines one by one, each when the one before was answered; those without an id get no answer."""
    answered, end = 0, time.monotonic() + 60
    for line in order["lines"]:
        with suppress(BrokenPipeError):
            os.write(writing, line.encode() + b"\n")
        answered += '"id"' in line
        while time.monotonic() < end:
            with open(order["stdout"], "rb") as file:
                if file.read().count(b"\n") >= answered:
                    break
            time.sleep(0.005)
    os.close(writing)


def _wait(child: int, seconds: float, terminal: int | None) -> tuple[int, float]:
    """The exit code of a child and the seconds that it worked.

    What its terminal echoes is read, so that it never waits for us.
    """
    end = time.monotonic() + seconds
    if terminal is not None:
        os.set_blocking(terminal, False)
    pause = 0.0005
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if terminal is not None:
            with suppress(OSError):
                os.read(terminal, 65536)
        if done:
            return os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return 98, seconds
        time.sleep(pause)
        pause = min(pause * 1.5, 0.02)


def _become(kind: str, order: dict[str, Any], typed: tuple[int, int] | None) -> None:
    """Be the command or hook: never returns."""
    os.setsid()
    if typed:
        os.close(typed[0])
        fcntl.ioctl(typed[1], termios.TIOCSCTTY, 0)
        os.dup2(typed[1], 0)
    elif not order.get("lines"):
        os.dup2(os.open(order["stdin"], os.O_RDONLY), 0)
    for number, path in ((1, order["stdout"]), (2, order["stderr"])):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), number)
    os.closerange(3, 64)
    os.environ.clear()
    os.environ.update(order["environment"])
    time.tzset()
    os.chdir(order["folder"])
    sys.stdin = open(0, encoding="utf-8", closefd=False)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
    determinism.begin(float(order["now"]), int(order["number"]))
    sys.path.remove(os.path.dirname(os.path.abspath(__file__)))
    sys.argv = order["arguments"]
    _be_hook(order) if kind == "hook" else _be_command(order["modules"])


def _be_command(modules: str) -> None:
    code: Any = 0
    try:
        importlib.import_module(f"{_PACKAGE}.surfaces.cli").main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as Python itself would
        import traceback

        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        with open(modules, "w", encoding="utf-8") as file:
            file.write("\n".join(name for name in sys.modules if name != "__main__"))
    finally:
        os._exit(code)


def _be_hook(order: dict[str, Any]) -> None:
    """Be the client as the launcher starts it, without its limits of time; a cycle that it wakes is noted, not run."""
    import _signal  # type: ignore[import-not-found,unused-ignore]

    def note_cycle(program: str, words: list[str], _: Any) -> None:
        with open(order["woken"], "a", encoding="utf-8") as file:
            file.write(" ".join([program, *words[1:]]) + "\n")
        os._exit(0)

    import posix

    replaced: dict[tuple[Any, str], Any] = {(_signal, "setitimer"): lambda *_: (0.0, 0.0)}
    for module in (os, posix):  # the client uses the part in C
        replaced[module, "execve"] = note_cycle
        replaced[module, "getpid"] = lambda: _PID + int(order["number"])
    for (module, name), replacement in replaced.items():
        setattr(module, name, replacement)
    client = sys.argv[0]
    with open(client, encoding="utf-8") as file:
        program = compile(file.read(), client, "exec")
    exec(program, {"__name__": "__main__", "__file__": client, "__package__": None, "__builtins__": __builtins__})


def settle_times(folders: list[Path], since: float, now: float) -> None:
    """Give everything below these folders that was changed really lately the time of the recording's clock."""
    for top in folders:
        for folder, folders_inside, files in os.walk(top):
            for name in (*folders_inside, *files):
                path = os.path.join(folder, name)
                if os.lstat(path).st_mtime >= since:
                    _REAL_UTIME(path, (now, now), follow_symlinks=False)


if __name__ == "__main__":
    main(sys.argv[1])
