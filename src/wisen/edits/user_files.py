"""Reads and writes users' files: compares with what was read, and writes completely or not at all.

A file is replaced by a complete one, so that a reader, a kill or a full disk never sees a partial file. Our own writers
wait for each other; a program that does not take the folder's lock can only get in between the last check and the
rename.
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import stat
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.links import Links
from wisen.errors import FileChanged, FileError
from wisen.model.change import FileVersion
from wisen.safety.regular_files import reject_unfit
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TRAVERSE = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""Traversing a folder needs no right to list it."""
_PART = lazy_regex(r"\.wisen-\d+-\d+\.part")
_STALE_SECONDS = 3600.0
"""Seconds after which a partial file belongs to no active writer."""
_LOCK_TIMEOUT = 10.0
"""Seconds to wait for another writer of ours."""
_CHUNK = 1 << 20
MAX_FILE_BYTES = 16 << 20
"""Maximum bytes of a file that is read or edited for a user: no settings, instructions or notes have more."""
_MAX_SIBLINGS = 100
_MAX_SIBLING_BYTES = 1 << 20
"""Limits of the search for a line that the user moved: number of files, and bytes of each."""
_UNSUPPORTED_ERRORS = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
"""Errors of file systems that cannot sync a folder, or lock one."""

_ADVICE = {
    errno.ENOSPC: ("the disk is full", "Make room and try again."),
    errno.EDQUOT: ("the quota is used up", "Make room and try again."),
    errno.EROFS: ("its file system is read-only", "Mount it for writing, or choose another place."),
    errno.EACCES: ("permission is denied", "Give yourself the right to it and its folder (`ls -ld`, `chmod u+rw`)."),
    errno.EPERM: ("it is not permitted", "Look at its owner and attributes (`ls -l`, `lsattr`)."),
    errno.ELOOP: ("its symbolic links lead in a circle", "Correct the link."),
    errno.ENOTDIR: ("a part of its path is not a folder", "Correct the path."),
    errno.ENAMETOOLONG: ("its name is too long", "Give a shorter path."),
}


class _DiskFile(NamedTuple):
    """A file as it is on disk."""

    seen: FileVersion
    real: Path
    status: os.stat_result | None


class UserFiles:
    """A user's files on the real disk."""

    def __init__(self, links: Links | None = None, private: Path | None = None) -> None:
        """`links`: which links may be followed; by default only those that stay inside a project.

        `private`: the folder below which nothing new is ever open to other users, not even while it is written.
        """
        self._links = links or Links()
        self._private = Path(os.path.realpath(private)) if private is not None else None

    def read(self, path: str | Path) -> FileVersion:
        """Return the file as it is. Raises: FileError if it is not a file, or cannot be read."""
        with _translate_errors(str(path), "read"):
            return _read_disk(str(path)).seen

    def real_path(self, path: str | Path) -> str:
        """Return the resolved path of a file, whether or not it exists."""
        # Unlike the pathlib version it never fails: a path that cannot be examined leads to itself.
        return os.path.realpath(path) if os.path.islink(path) else str(path)  # noqa: PTH114

    def link_target(self, path: str | Path) -> str | None:
        """Return the file that links lead to on the way from the project; None if none. Raises: FileError."""
        with _translate_errors(str(path), "looked at"):
            return self._links.target_of(str(path))

    def siblings(self, path: Path) -> tuple[Path, ...]:
        """Return the other files of the same kind in a file's folder, sorted by name; none if there is no folder."""
        try:
            with os.scandir(path.parent) as entries:
                names = sorted(
                    entry.name
                    for entry in entries
                    if entry.name.endswith(path.suffix) and entry.name != path.name and _is_small_file(entry)
                )
        except OSError:
            return ()
        return tuple(path.with_name(name) for name in names[:_MAX_SIBLINGS])

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        """Write this content, or delete the file; returns the file as it is then.

        Raises: FileChanged if it is not what was seen, FileError if it cannot be done. The file is then unchanged.
        """
        action = "deleted" if content is None else "written"
        with _translate_errors(seen.path, action):
            current = _require_unchanged(seen)
            if content == seen.content:
                return current.seen
            if content is None and seen.link is not None:
                raise FileError(
                    f"{seen.path} is a link to {seen.link} and was not deleted: a link to nothing would be left. "
                    "Delete both yourself if they are not wanted."
                )
            self._links.target_of(seen.path)
            real = Path(os.path.realpath(current.real.parent), current.real.name)
            is_private = self._private in real.parents
            with _lock_folder(real.parent, 0o700 if is_private else 0o777) as handle:
                current = _require_unchanged(seen)
                _require_writable(current, action)
                # Checked again under the lock. The folder is open since then, and was reached without a link: whatever
                # replaces it now, the write goes to where these links led.
                self._links.target_of(seen.path)
                if Path(os.path.realpath(current.real)) != real:
                    raise FileChanged(
                        f"{seen.path} leads to another file since it was read, and was left alone. "
                        "Read it again and repeat the change."
                    )
                if content is None:
                    os.unlink(real.name, dir_fd=handle)
                    mode = 0
                else:
                    mode = _replace(current, content, handle, 0o600 if is_private else 0o644)
            with _translate_errors(seen.path, action, was_done=True):
                _sync(real.parent)
            return FileVersion(seen.path, content, mode, seen.link)


def remove_partial_files(folders: Iterable[str], now: datetime) -> None:
    """Remove the partial files that killed writers of ours left in these folders; nothing else is touched."""
    for folder in folders:
        with suppress(OSError):
            handle = _open_without_links(Path(os.path.realpath(folder)))
            try:
                _remove_stale(handle, now.timestamp(), os.geteuid())
            finally:
                os.close(handle)


def _is_small_file(entry: os.DirEntry[str]) -> bool:
    return entry.is_file() and entry.stat().st_size <= _MAX_SIBLING_BYTES


def _read_disk(path: str) -> _DiskFile:
    """Read a file and its status. Raises: FileError if something else is in its place."""
    link = _resolve_link(path) if Path(path).is_symlink() else None
    real = Path(link or path)
    try:
        status = real.lstat()
    except FileNotFoundError:
        return _DiskFile(FileVersion(path, None, 0, link), real, None)
    reject_unfit(path, status, MAX_FILE_BYTES)
    # Without blocking: a pipe that has just replaced it would hold us up forever.
    handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        reject_unfit(path, status, MAX_FILE_BYTES)
        # One chunk more than the limit: a file that grows meanwhile has changed, and is not read forever.
        content = b"".join(islice(iter(lambda: os.read(handle, _CHUNK), b""), MAX_FILE_BYTES // _CHUNK + 1))
    finally:
        os.close(handle)
    return _DiskFile(FileVersion(path, content, stat.S_IMODE(status.st_mode), link), real, status)


def _resolve_link(path: str) -> str:
    """Return the real path behind a link. Raises: FileError if nothing is there."""
    try:
        return os.path.realpath(path, strict=True)
    except FileNotFoundError:
        raise FileError(
            f"{path} is a link to {os.path.realpath(path)}, which does not exist. Make that file, or remove the link."
        ) from None


def _require_unchanged(seen: FileVersion) -> _DiskFile:
    """Return the file, if it is what was seen. Raises: FileChanged."""
    current = _read_disk(seen.path)
    actual = current.seen
    if actual.content is None and seen.content is not None:
        difference = "is no longer there"
    elif actual.content is not None and seen.content is None:
        difference = "has appeared"
    elif actual.link != seen.link:
        difference = "leads to another file" if actual.link else "is no longer a link"
    elif actual.content != seen.content:
        difference = "has changed"
    else:
        return current
    raise FileChanged(
        f"{seen.path} {difference} since it was read, and was left alone. Read it again and repeat the change."
    )


def _require_writable(current: _DiskFile, action: str) -> None:
    # A rename needs no right to the file itself; if the user took that right away, it must still count.
    if current.status is not None and not os.access(current.real, os.W_OK):
        raise FileError(
            f"{current.seen.path} could not be {action}: it is read-only. Allow it with `chmod u+w {current.real}`."
        )
    if current.status is not None and current.status.st_nlink > 1 and action != "deleted":
        # A new file replaces one name only, and the others would keep the old content.
        raise FileError(
            f"{current.seen.path} could not be {action}: it is one of {current.status.st_nlink} names of a file (hard "
            "links), which would come apart. Make symbolic links of the others (`ln -s`), or edit it yourself."
        )


def _replace(current: _DiskFile, content: bytes, folder: int, new_mode: int) -> int:
    """Write a complete file next to the old one, and rename it if that is still the same; returns its mode."""
    part, handle = _new_part(current, folder, new_mode)
    try:
        try:
            status = os.fstat(handle)  # shows the folder's own time
            _remove_stale(folder, status.st_mtime, status.st_uid)
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest[:_CHUNK]) :]
            if current.status is not None:
                _copy_metadata(handle, current.real, current.status)
            os.fsync(handle)
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
        finally:
            os.close(handle)
        _require_unchanged(current.seen)
        os.replace(part, current.real.name, src_dir_fd=folder, dst_dir_fd=folder)
        return mode
    finally:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)


def _new_part(current: _DiskFile, folder: int, new_mode: int) -> tuple[str, int]:
    # The system applies the umask to a new file; one that replaces an old one is private until it has its mode.
    mode = new_mode if current.status is None else 0o600
    for number in itertools.count():
        part = f".wisen-{os.getpid()}-{number}.part"
        with suppress(FileExistsError):
            return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    raise AssertionError


def _copy_metadata(handle: int, path: Path, old: os.stat_result) -> None:
    """Copy owner, mode and attributes of the old file, as far as permitted."""
    mode = stat.S_IMODE(old.st_mode)
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except PermissionError:
            # setuid and setgid were granted to the old owner, not to us.
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(handle, mode)
    if not hasattr(os, "listxattr"):
        return
    # Access control lists are stored there, and the user's own attributes.
    with suppress(OSError):
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name))


def _remove_stale(folder: int, now: float, owner: int) -> None:
    """Remove partial files that a killed writer of ours left."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not _PART.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            leftover = entry.stat(follow_symlinks=False)
            if leftover.st_uid == owner and now - leftover.st_mtime > _STALE_SECONDS:
                os.unlink(entry.name, dir_fd=folder)


@contextmanager
def _lock_folder(path: Path, new_mode: int) -> Iterator[int]:
    """Open the folder of a file, creating it with this mode if necessary, and lock it against other writers of ours.

    Its path is resolved: a link that was put into it since is not followed.
    """
    created = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        for folder in reversed(created):
            folder.mkdir(new_mode, exist_ok=True)
            _sync(folder.parent)
        handle = _open_without_links(path)
        try:
            _lock(handle, path)
            yield handle
        finally:
            # It only held the lock: an error here says nothing about the file.
            with suppress(OSError):
                os.close(handle)
    except BaseException:
        for folder in created:
            with suppress(OSError):
                folder.rmdir()
        raise


def _open_without_links(folder: Path) -> int:
    """Open a folder part by part, none of which may be a link. Raises: OSError."""
    *above, last = folder.parts
    handle = os.open(folder.anchor, _TRAVERSE) if above else os.open(last, _OPEN_FOLDER)
    for name in (*above[1:], last) if above else ():
        try:
            below = os.open(name, _OPEN_FOLDER if name is last else _TRAVERSE, dir_fd=handle)
        finally:
            os.close(handle)
        handle = below
    return handle


def _lock(handle: int, folder: Path) -> None:
    end = time.monotonic() + _LOCK_TIMEOUT
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise FileError(
                    f"{folder} is held by another process for more than {_LOCK_TIMEOUT:.0f} seconds. Try again later."
                ) from None
            time.sleep(0.005)
        except OSError as error:
            if error.errno not in _UNSUPPORTED_ERRORS | {errno.ENOLCK, errno.EBADF}:
                raise
            return
        else:
            return


def _sync(folder: Path) -> None:
    """Sync the names in a folder to disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED_ERRORS:
            raise
    finally:
        os.close(handle)


@contextmanager
def _translate_errors(path: str, action: str, *, was_done: bool = False) -> Iterator[None]:
    """Convert a system error into one of ours."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        reason, advice = _ADVICE.get(
            error.errno or 0, (error.strerror or str(error), "Look at the disk and try again.")
        )
        if was_done:
            raise FileError(
                f"{path} was {action}, but it may not outlast a power failure: {reason}. {advice}"
            ) from error
        raise FileError(f"{path} could not be {action}: {reason}. {advice}") from error
    except ValueError as error:
        # A null character, or one that the file system's encoding does not have.
        raise FileError(f"{path!r} is not a path: {error}. Correct it.") from error
