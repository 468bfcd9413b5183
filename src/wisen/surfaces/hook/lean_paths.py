"""Paths and folders by `posix`, the part of `os` that is built in: `os` takes a tenth of an interpreter's start.

Each function does what its namesake in `os` does; a path that is not plain (`..`, links, relative) is left to `os`.
Tests check that both agree.
"""

from __future__ import annotations

import posix

_KIND, _FOLDER, _LINK = 0o170000, 0o040000, 0o120000


def exists(path: str) -> bool:
    """Whether something is there, following links."""
    try:
        posix.stat(path)
    except (OSError, ValueError):
        return False
    return True


def link_exists(path: str) -> bool:
    """Whether something is there, even a link to nothing."""
    try:
        posix.lstat(path)
    except (OSError, ValueError):
        return False
    return True


def is_folder(path: str) -> bool:
    """Whether it is a folder, or a link to one."""
    try:
        return posix.stat(path).st_mode & _KIND == _FOLDER
    except (OSError, ValueError):
        return False


def parent_of(path: str) -> str:
    """Return the path of the folder that holds it."""
    head = path[: path.rfind("/") + 1]
    return head.rstrip("/") or head


def absolute(path: str) -> str:
    """Return the normalized absolute path."""
    if _is_plain(path):
        return path
    from os.path import abspath

    return abspath(path)


def resolved(path: str) -> str:
    """Return the absolute path without links."""
    if _is_plain(path) and not _has_link(path):
        return path
    from os.path import realpath

    return realpath(path)


def _is_plain(path: str) -> bool:
    """Whether an absolute path is normalized already."""
    if not path.startswith("/") or path.startswith("//") or "\0" in path:
        return False
    return path == "/" or not {"", ".", ".."}.intersection(path[1:].split("/"))


def _has_link(path: str) -> bool:
    end = 0
    while end >= 0:
        end = path.find("/", end + 1)
        part = path if end < 0 else path[:end]
        try:
            if posix.lstat(part).st_mode & _KIND == _LINK:
                return True
        except OSError:
            continue  # what is not there is no link
    return False


def make_folders(path: str, mode: int) -> None:
    """Create a folder and those above it; the mode is for the last one."""
    try:
        posix.mkdir(path, mode)
    except FileNotFoundError:
        above = parent_of(path)
        if above in ("", path):
            raise
        make_folders(above, 0o777)
        make_folders(path, mode)
    except OSError:
        if not is_folder(path):
            raise


def variable(name: str) -> str:
    """Return a variable of the environment; empty if it is not set."""
    found: bytes = posix.environ.get(name.encode(), b"")
    return found.decode("utf-8", "surrogateescape")
