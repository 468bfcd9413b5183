"""Access to the files of users: read, compare, and write whole or not at all.

A file is replaced by a complete one, so that a reader, a kill or a full disk never leaves a part. Writers of ours wait
for each other; a program that does not take the folder's lock can slip in only between the last look and the rename.
"""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import re
import stat
import time
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.links import Links
from wisen.errors import FileChanged, FileError
from wisen.model.change import Seen
from wisen.safety.regular_files import refuse_unfit

if TYPE_CHECKING:
    from collections.abc import Iterator

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_WAY = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""To pass through a folder needs no right to list it."""
_PART = re.compile(r"\.wisen-\d+-\d+\.part")
_STALE = 3600.0
"""Seconds after which a part belongs to no writer that is still at work."""
_PATIENCE = 10.0
"""Seconds to wait for another writer of ours."""
_CHUNK = 1 << 20
LARGEST = 16 << 20
"""Bytes of a file that is read or edited for a person: no settings, instructions or notes have more."""
_MOST_BESIDE = 100
_SMALL = 1 << 20
"""What is looked through for a line that a person moved: no more files, and none that is larger."""
_UNSYNCED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
"""What file systems answer that cannot sync a folder, or lock one."""

_NEXT = {
    errno.ENOSPC: ("the disk is full", "Make room and try again."),
    errno.EDQUOT: ("the quota is used up", "Make room and try again."),
    errno.EROFS: ("its file system is read-only", "Mount it for writing, or choose another place."),
    errno.EACCES: ("permission is denied", "Give yourself the right to it and its folder (`ls -ld`, `chmod u+rw`)."),
    errno.EPERM: ("it is not permitted", "Look at its owner and attributes (`ls -l`, `lsattr`)."),
    errno.ELOOP: ("its symbolic links lead in a circle", "Correct the link."),
    errno.ENOTDIR: ("a part of its path is not a folder", "Correct the path."),
    errno.ENAMETOOLONG: ("its name is too long", "Give a shorter path."),
}


class _Standing(NamedTuple):
    """A file as it stands on disk."""

    seen: Seen
    real: Path
    status: os.stat_result | None


class UserFiles:
    """The files of a user, on the real disk."""

    def __init__(self, links: Links | None = None) -> None:
        """`links`: what may be followed; without it only what stays inside of a project."""
        self._links = links or Links()

    def read(self, path: str | Path) -> Seen:
        """The file as it is. Raises: FileError where it is not a file, or cannot be read."""
        with _translated(str(path), "read"):
            return _standing(str(path)).seen

    def real_path(self, path: str | Path) -> str:
        """Where the file itself is that a path leads to, there or not."""
        # Unlike the one in pathlib it never fails: a path that cannot be looked at leads to itself.
        return os.path.realpath(path) if os.path.islink(path) else str(path)  # noqa: PTH114

    def link_target(self, path: str | Path) -> str | None:
        """The file that links lead to on the way from the project; None without any. Raises: FileError."""
        with _translated(str(path), "looked at"):
            return self._links.target_of(str(path))

    def siblings(self, path: Path) -> tuple[Path, ...]:
        """The other files of the same kind in a file's folder, by name; none where there is no folder."""
        try:
            with os.scandir(path.parent) as entries:
                names = sorted(
                    entry.name
                    for entry in entries
                    if entry.name.endswith(path.suffix) and entry.name != path.name and _is_small_file(entry)
                )
        except OSError:
            return ()
        return tuple(path.with_name(name) for name in names[:_MOST_BESIDE])

    def write(self, seen: Seen, content: bytes | None) -> Seen:
        """Give the file this content, or delete it; the answer is how it is then.

        Raises: FileChanged where it is not what was seen, FileError where it cannot be done. It is then as it was.
        """
        deed = "deleted" if content is None else "written"
        with _translated(seen.path, deed):
            standing = _unchanged(seen)
            if content == seen.content:
                return standing.seen
            if content is None and seen.link is not None:
                raise FileError(
                    f"{seen.path} is a link to {seen.link} and was not deleted: a link to nothing would be left. "
                    "Delete both yourself if they are not wanted."
                )
            self._links.target_of(seen.path)
            real = Path(os.path.realpath(standing.real.parent), standing.real.name)
            with _folder(real.parent) as handle:
                standing = _unchanged(seen)
                _may_be_changed(standing, deed)
                # Asked again under the lock. The folder is held open since, and was reached without a link: whatever
                # is put in its place now, the write goes to where these links led.
                self._links.target_of(seen.path)
                if Path(os.path.realpath(standing.real)) != real:
                    raise FileChanged(f"{seen.path} leads to another place since it was read, and was left alone.")
                if content is None:
                    os.unlink(real.name, dir_fd=handle)
                    mode = 0
                else:
                    mode = _replace(standing, content, handle)
            with _translated(seen.path, deed, done=True):
                _sync(real.parent)
            return Seen(seen.path, content, mode, seen.link)


def _is_small_file(entry: os.DirEntry[str]) -> bool:
    return entry.is_file() and entry.stat().st_size <= _SMALL


def _standing(path: str) -> _Standing:
    """A file and its status. Raises: FileError where something else is in its place."""
    link = _led_to(path) if Path(path).is_symlink() else None
    real = Path(link or path)
    try:
        status = real.lstat()
    except FileNotFoundError:
        return _Standing(Seen(path, None, 0, link), real, None)
    refuse_unfit(path, status, LARGEST)
    # Without waiting: a pipe that has just come in its place would hold us up for ever.
    handle = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        refuse_unfit(path, status, LARGEST)
        # One piece more than it has: what grows meanwhile has changed, and is not read for ever.
        content = b"".join(islice(iter(lambda: os.read(handle, _CHUNK), b""), LARGEST // _CHUNK + 1))
    finally:
        os.close(handle)
    return _Standing(Seen(path, content, stat.S_IMODE(status.st_mode), link), real, status)


def _led_to(path: str) -> str:
    """The real path behind a link. Raises: FileError where nothing is there."""
    try:
        return os.path.realpath(path, strict=True)
    except FileNotFoundError:
        raise FileError(
            f"{path} is a link to {os.path.realpath(path)}, which does not exist. Make that file, or remove the link."
        ) from None


def _unchanged(seen: Seen) -> _Standing:
    """The file, if it is what was seen. Raises: FileChanged."""
    standing = _standing(seen.path)
    there = standing.seen
    if there.content is None and seen.content is not None:
        what = "is no longer there"
    elif there.content is not None and seen.content is None:
        what = "has appeared"
    elif there.link != seen.link:
        what = "leads to another file" if there.link else "is no longer a link"
    elif there.content != seen.content:
        what = "has changed"
    else:
        return standing
    raise FileChanged(f"{seen.path} {what} since it was read, and was left alone. Read it again and repeat the change.")


def _may_be_changed(standing: _Standing, deed: str) -> None:
    # A rename needs no right to the file itself; that the user took this right away must count all the same.
    if standing.status is not None and not os.access(standing.real, os.W_OK):
        raise FileError(
            f"{standing.seen.path} could not be {deed}: it is read-only. Allow it with `chmod u+w {standing.real}`."
        )
    if standing.status is not None and standing.status.st_nlink > 1 and deed != "deleted":
        # A new file takes the place of one name only, and the others would go on with the old one.
        raise FileError(
            f"{standing.seen.path} could not be {deed}: it is one of {standing.status.st_nlink} names of a file (hard "
            "links), which would come apart. Make symbolic links of the others (`ln -s`), or edit it yourself."
        )


def _replace(standing: _Standing, content: bytes, folder: int) -> int:
    """Write a complete file beside the old one, and put it in its place if that is still the same; tells its mode."""
    part, handle = _new_part(standing, folder)
    try:
        try:
            _remove_stale(folder, os.fstat(handle))
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest[:_CHUNK]) :]
            if standing.status is not None:
                _take_over(handle, standing.real, standing.status)
            os.fsync(handle)
            mode = stat.S_IMODE(os.fstat(handle).st_mode)
        finally:
            os.close(handle)
        _unchanged(standing.seen)
        os.replace(part, standing.real.name, src_dir_fd=folder, dst_dir_fd=folder)
        return mode
    finally:
        with suppress(OSError):
            os.unlink(part, dir_fd=folder)


def _new_part(standing: _Standing, folder: int) -> tuple[str, int]:
    # The system takes the umask off a new file; one that takes an old one's place is private until it has its mode.
    mode = 0o644 if standing.status is None else 0o600
    for number in itertools.count():
        part = f".wisen-{os.getpid()}-{number}.part"
        with suppress(FileExistsError):
            return part, os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode, dir_fd=folder)
    raise AssertionError


def _take_over(handle: int, path: Path, old: os.stat_result) -> None:
    """Owner, mode and attributes of the old file, as far as that is permitted."""
    mode = stat.S_IMODE(old.st_mode)
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(handle, old.st_uid, old.st_gid)
        except PermissionError:
            # Acting as its owner was granted to the old one's owner, not to us.
            mode &= ~(stat.S_ISUID | stat.S_ISGID)
    os.fchmod(handle, mode)
    if not hasattr(os, "listxattr"):
        return
    # Lists of who else may read it stand there, and a person's own marks.
    with suppress(OSError):
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name))


def _remove_stale(folder: int, made: os.stat_result) -> None:
    """Remove parts that a killed writer of ours left; the new part tells the folder's own time."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not _PART.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            left = entry.stat(follow_symlinks=False)
            if left.st_uid == made.st_uid and made.st_mtime - left.st_mtime > _STALE:
                os.unlink(entry.name, dir_fd=folder)


@contextmanager
def _folder(path: Path) -> Iterator[int]:
    """The folder of a file, made where it is missing, held open, and held against other writers of ours.

    Its path is a real one: a link that has come into it since is not followed.
    """
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        for folder in reversed(made):
            folder.mkdir(exist_ok=True)
            _sync(folder.parent)
        handle = _opened_without_links(path)
        try:
            _lock(handle, path)
            yield handle
        finally:
            # It only held the lock: an error here says nothing about the file.
            with suppress(OSError):
                os.close(handle)
    except BaseException:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()
        raise


def _opened_without_links(folder: Path) -> int:
    """A folder, opened part by part, none of which may be a link. Raises: OSError."""
    *above, last = folder.parts
    handle = os.open(folder.anchor, _WAY) if above else os.open(last, _FOLDER)
    for name in (*above[1:], last) if above else ():
        try:
            below = os.open(name, _FOLDER if name is last else _WAY, dir_fd=handle)
        finally:
            os.close(handle)
        handle = below
    return handle


def _lock(handle: int, folder: Path) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                raise FileError(
                    f"{folder} is held by another process for more than {_PATIENCE:.0f} seconds. Try again later."
                ) from None
            time.sleep(0.005)
        except OSError as error:
            if error.errno not in _UNSYNCED | {errno.ENOLCK, errno.EBADF}:
                raise
            return
        else:
            return


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSYNCED:
            raise
    finally:
        os.close(handle)


@contextmanager
def _translated(path: str, deed: str, *, done: bool = False) -> Iterator[None]:
    """Tell an error of the system as one of ours."""
    try:
        yield
    except FileError:
        raise
    except OSError as error:
        why, then = _NEXT.get(error.errno or 0, (error.strerror or str(error), "Look at the disk and try again."))
        if done:
            raise FileError(f"{path} was {deed}, but it may not outlast a power failure: {why}. {then}") from error
        raise FileError(f"{path} could not be {deed}: {why}. {then}") from error
    except ValueError as error:
        # A null character, or one that the file system's encoding does not have.
        raise FileError(f"{path!r} is not a path: {error}. Correct it.") from error
