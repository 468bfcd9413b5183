"""Runs CLI commands in forked processes, which saves the second that each start would take.

A server process has loaded the program once; every command is a fork of it, with its own arguments, environment,
folder and streams. What starts the real program (`wisen`, the hooks, a terminal) is tested elsewhere as it is.
"""

from __future__ import annotations

import array
import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_FDS = 4
_MOST = 1 << 20
_AT_START = ("PYTHON", "LC_", "LANG", "MALLOC_", "LD_")
"""What Python reads of its environment before the program begins: a fork cannot be given another."""


class CommandServer:
    """The process that commands are forked from."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._at_start = _read_at_start(os.environ)
        self.cpu_seconds = 0.0
        """What the commands took so far: nobody waits for them, so no process counts them among its children's."""
        with theirs, tempfile.TemporaryDirectory() as folder:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.command_server", str(theirs.fileno()), folder],
                pass_fds=[theirs.fileno()],
                cwd=Path(__file__).parents[1],
                stdin=subprocess.DEVNULL,
            )
            assert self._socket.recv(1) == b"+", "the commands' server did not start"
        atexit.register(self.close)

    def fits(self, environment: Mapping[str, str]) -> bool:
        """Whether a fork is what a process of its own would be in this environment."""
        return _read_at_start(environment) == self._at_start

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str, timeout: float
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end. Raises: subprocess.TimeoutExpired."""
        return self.start(arguments, environment, folder, stdin).wait(timeout)

    def start(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path, stdin: str = ""
    ) -> RunningCommand:
        """Start a command, which runs beside this process until it is waited for."""
        # They are closed by whoever waits for the command.
        streams: list[IO[bytes]] = [tempfile.TemporaryFile("w+b") for _ in range(3)]  # noqa: SIM115
        streams[0].write(stdin.encode())
        streams[0].seek(0)
        reading, writing = os.pipe()
        fds = array.array("i", [*(stream.fileno() for stream in streams), writing])
        order = json.dumps([list(arguments), dict(environment), str(folder)]).encode(errors="surrogateescape")
        with tempfile.TemporaryFile() as orders:  # an environment may be larger than a message
            orders.write(order)
            orders.flush()
            fds.append(orders.fileno())
            self._socket.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
            os.close(writing)
        return RunningCommand(self, list(arguments), streams, reading)

    def close(self) -> None:
        """End the server; commands that it started go on."""
        self._socket.close()
        self._process.wait(10)


@cache
def command_server() -> CommandServer:
    """The server of this process."""
    return CommandServer()


def cpu_seconds() -> float:
    """The processor time of all commands so far, without starting a server for it."""
    return command_server().cpu_seconds if command_server.cache_info().currsize else 0.0


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith(_AT_START)}


class RunningCommand:
    """A command that was started. Whoever starts it has to wait for it, or to kill it and then wait for it."""

    def __init__(self, server: CommandServer, arguments: list[str], streams: list[IO[bytes]], reading: int) -> None:
        self.arguments = arguments
        self._server, self._streams, self._reading = server, streams, reading
        self._received = b""
        """The pipe brings the process id, and at its end the exit code and the milliseconds of processor time."""

    def kill(self) -> None:
        """Send SIGKILL; nothing happens if it has ended."""
        if self._receive(1, time.monotonic() + 10) and not self._receive(2, 0):
            with suppress(ProcessLookupError):
                os.kill(int(self._received.split()[0]), signal.SIGKILL)

    def wait(self, timeout: float) -> subprocess.CompletedProcess[str]:
        """Wait for its end; the exit code is negative if it was killed. Raises: subprocess.TimeoutExpired."""
        with ExitStack() as opened:
            for stream in self._streams:
                opened.enter_context(stream)
            opened.callback(os.close, self._reading)
            if not self._receive(2, time.monotonic() + timeout):
                self.kill()
                raise subprocess.TimeoutExpired(self.arguments, timeout)
            _, code, milliseconds = map(int, self._received.split())
            self._server.cpu_seconds += milliseconds / 1000
            return subprocess.CompletedProcess(self.arguments, code, _text(self._streams[1]), _text(self._streams[2]))

    def _receive(self, lines: int, end: float) -> bool:
        """Read until there are so many lines, or the time is over; returns whether there are."""
        import select

        while self._received.count(b"\n") < lines:
            if not select.select([self._reading], [], [], max(end - time.monotonic(), 0))[0]:
                return False
            chunk = os.read(self._reading, 64)
            assert chunk, "the commands' server died"
            self._received += chunk
        return True


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode()


def _serve(ours: socket.socket) -> None:
    while True:
        message, ancillary, _, _ = ours.recvmsg(1, socket.CMSG_SPACE((_FDS + 1) * array.array("i").itemsize))
        if not message:
            return
        fds = array.array("i")
        for _, _, data in ancillary:
            fds.frombytes(data)
        if (child := os.fork()) == 0:
            ours.close()
            _supervise(list(fds))
        for fd in fds:
            os.close(fd)
        del child  # nobody waits for it: SIGCHLD is ignored here


def _supervise(fds: list[int]) -> None:
    """In a process of its own: start the command, send its id, wait for it, send its exit code and processor time."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    status = fds[3]
    child = os.fork()
    if child == 0:
        os.close(status)
        _become(fds)
    os.write(status, b"%d\n" % child)
    for fd in (*fds[:3], fds[4]):
        os.close(fd)
    _, ended, usage = os.wait4(child, 0)
    milliseconds = round(1000 * (usage.ru_utime + usage.ru_stime))
    os.write(status, b"%d %d\n" % (os.waitstatus_to_exitcode(ended), milliseconds))
    os._exit(0)


def _become(fds: list[int]) -> None:
    """Be the command: its streams, folder, environment and arguments; never returns."""
    code = 70
    try:
        with os.fdopen(fds[4], "rb") as file:
            file.seek(0)
            arguments, environment, folder = json.loads(file.read().decode(errors="surrogateescape"))
        for number, fd in enumerate(fds[:3]):
            os.dup2(fd, number)
            os.close(fd)
        sys.stdin = open(0, encoding=sys.stdin.encoding, closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding=sys.stdout.encoding, closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding=sys.stderr.encoding, errors="backslashreplace", closefd=False)  # noqa: SIM115
        os.environ.clear()
        os.environ.update(environment)
        time.tzset()
        os.chdir(folder)
        sys.argv = ["wisen", *arguments]
        code = run_main()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            code = code or 120
        os._exit(code)


def run_main() -> int:
    """Be the program with the arguments that are set; returns its exit code."""
    from wisen.surfaces.cli import main

    try:
        main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as Python itself would
        import traceback

        traceback.print_exc()
        return 1
    return 0


def _warm_up(folder: Path) -> None:
    """Load what commands load: by one look at a session in a home of its own."""
    from tests.as_person import be_person
    from wisen import app
    from wisen.testing.transcripts import ClaudeTranscript

    be_person()
    log = ClaudeTranscript(1)
    log.prompt("No, never use npm here, always use pnpm instead.")
    log.prompt("Nein, benutze hier immer pnpm statt npm.")  # what needs the tables of all languages
    log.write(folder / "logs")
    environment = {"HOME": str(folder), "WISEN_HOME": str(folder / "home")}
    with app.wire(folder / "home", environment=environment).learner() as learner:
        learner.learn(folder / "logs", jobs=1)
        learner.delivery.prepare_snapshots()


_NOT_LOADED = ("wisen.surfaces.mcp", "wisen.surfaces.hook", "wisen.testing")
"""What no command loads, or only one that is not run here."""
_LIBRARIES = ("rich.console", "rich.markup", "rich.progress", "rich.table", "ruamel.yaml", "typer._click.decorators")
"""What commands load only when they need it."""


def load_program() -> None:
    """Load all that commands load, and build the tree of commands: forks of this process have it then."""
    _import_program()
    _build_commands_once()


def _import_program() -> None:
    import importlib
    import pkgutil

    import wisen

    for library in _LIBRARIES:
        importlib.import_module(library)
    for module in pkgutil.walk_packages(wisen.__path__, "wisen."):
        if not module.name.startswith(_NOT_LOADED) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def _build_commands_once() -> None:
    """Build the tree of commands now: every start of the program builds it, which takes longer than most commands."""
    from functools import cache

    import typer.main

    from wisen.surfaces.cli import app

    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(app)


def _main(fd: str, folder: str) -> None:
    load_program()
    _warm_up(Path(folder))
    import gc

    gc.collect()
    gc.freeze()  # pages that are not written to need no copies
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    ours: Any = socket.socket(fileno=int(fd))
    ours.send(b"+")
    _serve(ours)


if __name__ == "__main__":
    _main(*sys.argv[1:])
