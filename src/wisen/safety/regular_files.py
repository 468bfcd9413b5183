"""Opens a file that others may have replaced by anything: only a regular file, without waiting, within a size limit.

Whatever lies outside wisen's own home is opened here: logs, agents' side files, repositories, instruction files. A
pipe, socket, device or folder in the place of a file, a link to one, and what the kernel makes up while it is read
(/proc, /sys) are refused before they are opened, because opening alone can wait for ever or set something off.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING

from wisen.errors import UnfitFile

if TYPE_CHECKING:
    from io import FileIO
    from pathlib import Path

SIDE_FILE = 16 << 20
"""Bytes that a side file of an agent may have: settings, registries, states of one session."""
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_CHUNK = 1 << 20
_MADE_UP = ("/proc", "/sys")
"""Where files look regular, hold nothing by their size, and go on for ever or wait when they are read."""
_BELOW_MADE_UP = tuple(f"{folder}/" for folder in _MADE_UP)
_SIZES_OF_MADE_UP = (0, 4096)
_OF_DATABASE = ("", "-wal", "-shm", "-journal")
"""SQLite opens these names beside a database by itself."""


def open_regular_file(path: str | Path, *, most: int | None = None) -> FileIO:
    """A regular file, open for reading and not buffered; `most`: how many bytes it may have at most.

    Raises:
        UnfitFile: it is something else, made up by the kernel, or too large. It is an OSError too.
        OSError: it is not there, or may not be read.
    """
    refuse_unfit(path, os.stat(path), most)  # noqa: PTH116 - a path may be bytes of another encoding
    return _opened(path, most)


def read_regular_file(path: str | Path, most: int) -> bytes:
    """What a regular file of at most so many bytes holds. Raises: UnfitFile, OSError."""
    with open_regular_file(path, most=most) as file:
        content = read_at_most(file, most + 1)
    if len(content) > most:
        raise UnfitFile(str(path), f"has more than {most:,} bytes, the limit for such a file")
    return content


def read_regular_text(path: str | Path, most: int) -> str:
    """The same as text, of whose line ends nothing is left but `\\n`. Raises: UnfitFile, OSError, UnicodeError."""
    return read_regular_file(path, most).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def read_at_most(file: FileIO, size: int) -> bytes:
    """The next bytes of a file, up to a number of them, however small the pieces are in which they come."""
    pieces: list[bytes] = []
    while size > 0 and (piece := file.read(min(size, _CHUNK))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def is_regular_file(path: str | Path) -> bool:
    """Whether a regular file is there, maybe behind a link; no path is an error."""
    try:
        refuse_unfit(path, os.stat(path), None)  # noqa: PTH116
    except (OSError, ValueError):
        return False
    return True


def refuse_unfit_database(path: Path) -> None:
    """Refuse a SQLite database where it, or a file that SQLite opens beside it, is no regular file.

    Raises: UnfitFile, OSError.
    """
    for ending in _OF_DATABASE:
        beside = f"{path}{ending}"
        try:
            refuse_unfit(beside, os.stat(beside), None)  # noqa: PTH116
        except FileNotFoundError:
            if not ending or os.path.islink(beside):  # noqa: PTH114 - a dangling link would be made a file of
                raise


def _opened(path: str | Path, most: int | None) -> FileIO:
    def opener(name: str, _: int) -> int:
        handle = os.open(name, _FLAGS)
        try:
            # What was looked at may have been replaced since; the handle cannot be.
            refuse_unfit(path, os.fstat(handle), most)
        except BaseException:
            os.close(handle)
            raise
        return handle

    return open(path, "rb", buffering=0, opener=opener)


def refuse_unfit(path: str | Path, status: os.stat_result, most: int | None) -> None:
    """Refuse what is not a regular file of at most so many bytes. Raises: UnfitFile."""
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, socket or device"
        raise UnfitFile(str(path), f"is {kind}, not a file", errno.EISDIR if "folder" in kind else errno.EINVAL)
    if _is_made_up(path, status):
        raise UnfitFile(str(path), "is made up by the system while it is read, and no file of a person's")
    if most is not None and status.st_size > most:
        raise UnfitFile(str(path), f"has {status.st_size:,} bytes, and such a file may have {most:,}", errno.EFBIG)


def _is_made_up(path: str | Path, status: os.stat_result) -> bool:
    """Whether the kernel makes the file up: by its device, else by its place where the size cannot be a content's."""
    if status.st_dev in _made_up_devices():
        return True
    # Control groups and the like are mounted there with devices of their own.
    return status.st_size in _SIZES_OF_MADE_UP and os.path.realpath(path).startswith(_BELOW_MADE_UP)


@cache
def _made_up_devices() -> frozenset[int]:
    devices: set[int] = set()
    for folder in _MADE_UP:
        with suppress(OSError):
            devices.add(os.stat(folder).st_dev)  # noqa: PTH116
    return frozenset(devices - {os.stat("/").st_dev})  # noqa: PTH116 - where they are no mounts, they are folders
