"""Follows what a process asks of the kernel about files, with ptrace: each call can be watched, shortened or refused.

A filter in the process (seccomp) stops it at the calls below only, so that everything else runs at full speed. What the
process starts is followed as well. Linux on x86-64.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys
import time
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

NUMBERS = {
    "read": 0, "write": 1, "open": 2, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "sendfile": 40,
    "flock": 73, "fsync": 74, "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84,
    "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "chmod": 90, "fchmod": 91, "getdents64": 217, "openat": 257,
    "mkdirat": 258, "newfstatat": 262, "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266,
    "fchmodat": 268, "fallocate": 285, "pwritev": 296, "renameat2": 316, "copy_file_range": 326,
}  # fmt: skip
NAMES = {number: name for name, number in NUMBERS.items()}
FOLDER_HERE = -100
"""AT_FDCWD: a path is meant from the present folder."""

_TRACEME, _PEEK, _CONT, _GETREGS, _SETREGS, _SYSCALL = 0, 2, 7, 12, 13, 24
_SETOPTIONS, _GETEVENTMSG = 0x4200, 0x4201
_EVENT_SECCOMP, _EVENTS_OF_A_NEW_ONE = 7, (1, 2, 3)
_OPTIONS = 1 | 2 | 4 | 8 | 16 | 1 << _EVENT_SECCOMP | 1 << 20
"""Marked system calls; fork, vfork, clone and exec; stops of the filter; it ends with us."""
_WALL = 0x40000000
_REGISTERS = 27
_RAX, _ORIGINAL = 10, 15
_ARGUMENTS = (14, 13, 12, 7, 9, 8)
"""Where a call's arguments are: rdi, rsi, rdx, r10, r8, r9."""
_X86_64 = 0xC000003E
_ALLOW, _TRACE, _KILL = 0x7FFF0000, 0x7FF00000, 0x80000000
_NO_NEW_PRIVILEGES, _SECCOMP = 38, 22

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.restype = ctypes.c_long
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class Call(NamedTuple):
    """A call about a file, while it has not been made yet or just has been."""

    process: int
    name: str
    arguments: tuple[int, ...]
    path: str
    """The whole path of the file or folder that it is about; `pipe:[…]` and the like for what has none."""
    other: str = ""
    """Of renames and links: the new name."""

    @property
    def handle(self) -> str:
        """Where the open file that it is about can be read."""
        return _handle(self.process, self.name, self.arguments)


class Watcher(Protocol):
    """Decides about calls, and learns what came of them."""

    def before(self, call: Call) -> int | None:
        """Return an error number to refuse a call, minus a number of bytes to shorten it, 0 to let it be made.

        None: nobody wants to know what comes of it.
        """

    def after(self, call: Call, result: int) -> None:
        """The call was made, with this result: minus an error number if it failed."""


def can_trace() -> bool:
    """Whether processes can be followed here."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    try:
        return trace(lambda: 7, _Nobody(), seconds=10) == 7
    except OSError:
        return False


def trace(
    job: Callable[[], int], watcher: Watcher, *, calls: Collection[str] = tuple(NUMBERS), seconds: float = 120
) -> int:
    """Run a job in a process of its own to its end, followed; returns its exit code, or minus the signal that ended it.

    Raises:
        OSError: processes cannot be followed here.
        TimeoutError: it took longer than that, and was ended.
    """
    first = os.fork()
    if first == 0:
        code = 70
        try:
            _become_traced(calls)
            code = job()
        finally:
            os._exit(code)
    os.waitpid(first, 0)
    if _libc.ptrace(_SETOPTIONS, first, None, _OPTIONS) == -1:
        os.kill(first, signal.SIGKILL)
        os.waitpid(first, 0)
        raise OSError(ctypes.get_errno(), "processes cannot be followed")
    _libc.ptrace(_CONT, first, None, None)
    return _Followed(first, watcher, time.monotonic() + seconds).follow()


class _Nobody:
    def before(self, call: Call) -> int | None:
        del call
        return None

    def after(self, call: Call, result: int) -> None:
        """Nothing is wanted."""


def _become_traced(calls: Collection[str]) -> None:
    if _libc.ptrace(_TRACEME, 0, None, None) == -1:
        raise OSError(ctypes.get_errno(), "processes cannot be followed")
    os.kill(os.getpid(), signal.SIGSTOP)
    # Load the architecture and compare; load the number and compare with each in turn.
    numbers = sorted(NUMBERS[name] for name in calls)
    lines = [(0x20, 0, 0, 4), (0x15, 1, 0, _X86_64), (0x06, 0, 0, _KILL), (0x20, 0, 0, 0)]
    lines += [(0x15, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    lines += [(0x06, 0, 0, _ALLOW), (0x06, 0, 0, _TRACE)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code)))
    if _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or _libc.prctl(_SECCOMP, 2, program, 0, 0):
        raise OSError(ctypes.get_errno(), "a filter of system calls is not allowed")


class _Followed:
    """A process and all that it starts."""

    def __init__(self, first: int, watcher: Watcher, end: float) -> None:
        self._first, self._watcher, self._end = first, watcher, end
        self._alive = {first}
        self._made: dict[int, Call] = {}
        """The call that each process is in the middle of."""
        self._refused: dict[int, tuple[Call, int]] = {}
        self._registers = (ctypes.c_ulonglong * _REGISTERS)()
        self._code = 0

    def follow(self) -> int:
        """To the end of all of them."""
        try:
            while self._alive:
                process, status = self._next()
                if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                    self._alive.discard(process)
                    if process == self._first:
                        self._code = os.waitstatus_to_exitcode(status)
                    continue
                self._go_on(process, status)
        finally:
            for process in self._alive:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, _WALL)
        return self._code

    def _next(self) -> tuple[int, int]:
        """Wait for one of them, and for nobody else: this process may have started others."""
        wait = 1e-5
        while True:
            for process in tuple(self._alive):
                try:
                    found = os.waitpid(process, _WALL if len(self._alive) == 1 else _WALL | os.WNOHANG)
                except ChildProcessError:
                    self._alive.discard(process)
                    continue
                if found[0]:
                    return found
            if time.monotonic() > self._end or not self._alive:
                raise TimeoutError("a followed process did not end")
            time.sleep(wait := min(wait * 2, 1e-3))

    def _go_on(self, process: int, status: int) -> None:
        if time.monotonic() > self._end:
            raise TimeoutError("a followed process did not end")
        event, stop, request, sent = status >> 16, os.WSTOPSIG(status), _CONT, 0
        if event in _EVENTS_OF_A_NEW_ONE:
            new = ctypes.c_ulong()
            _libc.ptrace(_GETEVENTMSG, process, None, ctypes.addressof(new))
            self._alive.add(new.value)
        elif event == _EVENT_SECCOMP:
            request = self._entered(process)
        elif stop == signal.SIGTRAP | 0x80:
            self._left(process)
        elif not event and stop not in {signal.SIGSTOP, signal.SIGTRAP}:
            sent = stop
        _libc.ptrace(request, process, None, sent)

    def _entered(self, process: int) -> int:
        registers = self._read_registers(process)
        call = self._read_call(process, registers)
        wish = None if call is None else self._watcher.before(call)
        if call is None or wish is None:
            return _CONT
        if wish > 0:
            registers[_ORIGINAL], registers[_RAX] = 2**64 - 1, 2**64 - wish
            _libc.ptrace(_SETREGS, process, None, ctypes.addressof(registers))
            return _CONT
        if wish < 0:
            registers[_ARGUMENTS[2]] = -wish
            _libc.ptrace(_SETREGS, process, None, ctypes.addressof(registers))
        self._made[process] = call
        return _SYSCALL

    def _left(self, process: int) -> None:
        if (call := self._made.pop(process, None)) is not None:
            result = ctypes.c_longlong(self._read_registers(process)[_RAX]).value
            self._watcher.after(call, result)

    def _read_registers(self, process: int) -> ctypes.Array[ctypes.c_ulonglong]:
        _libc.ptrace(_GETREGS, process, None, ctypes.addressof(self._registers))
        return self._registers

    def _read_call(self, process: int, registers: ctypes.Array[ctypes.c_ulonglong]) -> Call | None:
        name = NAMES.get(registers[_ORIGINAL])
        if name is None:
            return None
        arguments = tuple(registers[at] for at in _ARGUMENTS)
        path, other = _paths(process, name, arguments)
        return Call(process, name, arguments, path, other)


_PATHS: dict[str, tuple[tuple[int, int], ...]] = {
    **dict.fromkeys(("open", "creat", "truncate", "mkdir", "rmdir", "unlink", "chmod"), ((-1, 0),)),
    **dict.fromkeys(("rename", "link"), ((-1, 0), (-1, 1))),
    "symlink": ((-1, 1),),
    **dict.fromkeys(("openat", "mkdirat", "newfstatat", "unlinkat", "fchmodat"), ((0, 1),)),
    **dict.fromkeys(("renameat", "renameat2", "linkat"), ((0, 1), (2, 3))),
    "symlinkat": ((1, 2),),
}
"""For each call with paths: the arguments with the folder (-1: the present one) and the address of each path."""


def _paths(process: int, name: str, arguments: tuple[int, ...]) -> tuple[str, str]:
    if name not in _PATHS:
        return _read_link(_handle(process, name, arguments)), ""
    found = [
        _whole_path(process, FOLDER_HERE if folder < 0 else ctypes.c_int(arguments[folder]).value, arguments[at])
        for folder, at in _PATHS[name]
    ]
    return found[0], found[1] if len(found) > 1 else ""


def _whole_path(process: int, folder: int, address: int) -> str:
    path = _text_at(process, address)
    if path.startswith("/"):
        return os.path.normpath(path)
    base = _read_link(f"/proc/{process}/cwd") if folder == FOLDER_HERE else _open_file(process, folder)
    return os.path.normpath(f"{base}/{path}") if path else base


def _handle(process: int, name: str, arguments: tuple[int, ...]) -> str:
    number = arguments[2 if name == "copy_file_range" else 0]
    return f"/proc/{process}/fd/{ctypes.c_int(number & 0xFFFFFFFF).value}"


def _open_file(process: int, number: int) -> str:
    return _read_link(f"/proc/{process}/fd/{ctypes.c_int(number & 0xFFFFFFFF).value}")


def _read_link(path: str) -> str:
    try:
        return os.readlink(path)  # noqa: PTH115 - the fast way
    except OSError:
        return ""


def _text_at(process: int, address: int) -> str:
    """Read a text of the process, which ends with a zero."""
    found = b""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:  # noqa: PTH123 - the fast way
        while b"\0" not in found and len(found) < 1 << 16:
            try:
                memory.seek(address + len(found))
                found += memory.read(256 - (address + len(found)) % 256)
            except (OSError, OverflowError):
                break
    return os.fsdecode(found.partition(b"\0")[0])
