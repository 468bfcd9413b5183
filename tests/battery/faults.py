"""Faults of the file system: which system calls fail how, from which one on."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.battery.system_calls import Call

SHORT = 0
"""Instead of an error number: only half of the bytes are written."""
_OPENS = frozenset({"open", "openat", "creat"})
_READS = frozenset({"read", "pread64", "readv", "getdents64", "newfstatat"})
_WRITES = frozenset({"write", "pwrite64", "writev", "pwritev", "sendfile", "copy_file_range"})
_SYNCS = frozenset({"fsync", "fdatasync"})
_MAKES = frozenset({"mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat"})
_REMOVES = frozenset({"unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2"})
_LENGTHS = frozenset({"ftruncate", "truncate", "fallocate"})
_WRITING_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True)
class Fault:
    """One kind of fault."""

    name: str
    error: int
    calls: frozenset[str]
    lasts: bool = False
    """Whether everything after it fails too, as on a full disk."""
    only_writing: bool = False
    """Whether files can still be opened to be read."""


FAULTS = (
    Fault("full disk", errno.ENOSPC, _OPENS | _WRITES | _MAKES | _LENGTHS, lasts=True, only_writing=True),
    Fault("full disk once", errno.ENOSPC, _OPENS | _WRITES | _MAKES | _LENGTHS | _SYNCS, only_writing=True),
    Fault("I/O error", errno.EIO, _OPENS | _READS | _WRITES | _SYNCS | _MAKES | _REMOVES | _LENGTHS),
    Fault("no access", errno.EACCES, _OPENS | _MAKES | _REMOVES | {"chmod", "fchmodat", "newfstatat"}),
    Fault("read-only", errno.EROFS, _OPENS | _MAKES | _REMOVES | {"chmod"}, lasts=True, only_writing=True),
    Fault("interrupted", errno.EINTR, _OPENS | _WRITES | {"read", "pread64", "flock", "ftruncate"}),
    Fault("no more files", errno.EMFILE, _OPENS),
    Fault("no more files for good", errno.EMFILE, _OPENS, lasts=True),
    Fault("short write", SHORT, frozenset({"write", "pwrite64"})),
)


class Striker:
    """Lets one call below a folder fail, or all from there on (see `system_calls.Watcher`)."""

    def __init__(self, root: Path, fault: Fault, number: int) -> None:
        """`number`: which of the calls that may fail is the first to do so, from 1 on; 0 for none."""
        self._root, self._fault, self._number = f"{root}/", fault, number
        self.count = 0
        self.struck = ""
        """What failed first."""

    def before(self, call: Call) -> int | None:
        """See `Watcher`."""
        if call.name not in self._fault.calls or not call.path.startswith(self._root):
            return None
        if self._fault.only_writing and call.name in _OPENS:
            flags = call.arguments[1 if call.name == "open" else 2]
            if not flags & _WRITING_FLAGS:
                return None
        self.count += 1
        if not self._number or not (self.count == self._number or (self._fault.lasts and self.count > self._number)):
            return None
        self.struck = self.struck or f"{call.name} {call.path}"
        if self._fault.error == SHORT:
            return -(call.arguments[2] // 2) if call.arguments[2] > 1 else None
        return self._fault.error

    def after(self, call: Call, result: int) -> None:
        """Nothing is wanted."""
