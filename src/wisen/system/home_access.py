"""Keeps the home private: rejects one that belongs to somebody else, tightens modes, removes partial files.

A folder with mode 0700 protects everything below it from other users; the files are 0600 as well, because folders are
moved and copied. Links are not followed, and what belongs to others is reported and left alone.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.errors import SettingsError
from wisen.system.folder_lock import is_locked
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from wisen.model.change import FileVersion
    from wisen.system.machine_ports import Clock, Files

_ABANDONED_SECONDS = 5.0
"""Seconds after which a partial file is abandoned: hooks write theirs within one."""
_PARTIAL = lazy_regex(r"\.part(-\w+)?$|\.db\.new-")
"""Names of files that are being written, and of what SQLite keeps next to them; a person's notes are not among them."""
_ROOT = 0
_SIGNS_OF_USE = ("ledger.db", "index.db", "salt", "cycle.lock")
"""How the names begin of what a first run creates, under another name at first."""
_OWN_NAMES = frozenset(
    "config.toml languages phrases contexts global spool snapshots backups models token run hook machine".split()
)
"""What a person, or a command, may have put into a home before its first run."""


def home_directory(environment: Mapping[str, str]) -> Path:
    """Return WISEN_HOME, or the user's data directory on this system."""
    if setting := environment.get("WISEN_HOME"):
        return Path(setting)
    import platformdirs

    return Path(platformdirs.user_data_dir("wisen", appauthor=False))


def reject_foreign_home(home: Path) -> None:
    """Check that a home, if it exists, belongs to the user. Raises: SettingsError."""
    me = os.geteuid()
    for stat_call in (os.lstat, os.stat):  # a link, and the folder that it points to
        try:
            owner = stat_call(home).st_uid
        except OSError:
            return
        # The superuser of a container may well work on a folder that another user of the machine owns.
        if _ROOT not in (me, owner) and owner != me:
            raise SettingsError(
                f"{home} belongs to another user (uid {owner}), who could read and change what is kept there. "
                "Set WISEN_HOME to a folder of yours."
            )


def reject_shared_home(home: Path, user_home: Path) -> None:
    """Check that a home holds nothing but ours: all below it is made private, and partial files are deleted.

    Raises: SettingsError.
    """
    place = Path(os.path.realpath(home))
    if place in (real_user_home := Path(os.path.realpath(user_home)), *real_user_home.parents):
        what = "is your home directory, or holds it"
    else:
        try:
            names = set(os.listdir(place))  # noqa: PTH208 - a folder may be there, or not
        except OSError:
            return
        if any(name.startswith(_SIGNS_OF_USE) for name in names) or 2 * len(names & _OWN_NAMES) >= len(names):
            return
        what = f"holds other files, such as {min(names - _OWN_NAMES)}"
    raise SettingsError(
        f"{home} {what}. wisen makes everything below its home readable for you alone, so it needs a folder "
        f"of its own: set WISEN_HOME to {home / 'wisen'}, for example."
    )


def make_private(home: Path) -> tuple[int, list[str]]:
    """Make everything below a home private. Returns how much was open to other users, and what still is."""
    remaining: list[str] = []
    count = 0
    for path, _, wanted in _open_to_others(home):
        try:
            Path(path).chmod(wanted)
            count += stat.S_IMODE(os.lstat(path).st_mode) == wanted
        except OSError:
            pass
        try:
            still_open = _is_open(os.lstat(path))
        except OSError:
            continue  # it was deleted
        if still_open:
            remaining.append(path)
    return count, remaining


def open_to_others(home: Path) -> list[str]:
    """Return everything below a home that other users may read or write, or that its owner may not."""
    return [path for path, _, _ in _open_to_others(home)]


def leftovers(home: Path, now: datetime, seconds: float = _ABANDONED_SECONDS) -> list[Path]:
    """Return the partial files that killed processes left below a home: they may hold what was forgotten since.

    `seconds`: how old a partial file is that nobody writes any more.
    """
    partial_files: list[Path] = []
    for folder, _, names in os.walk(home):
        for name in names:
            path = Path(folder, name)
            if not _PARTIAL.search(name):
                continue
            try:
                is_abandoned = now.timestamp() - path.lstat().st_mtime > seconds
            except OSError:
                continue
            # Copying the ledger takes as long as it takes; whoever does it holds the folder's lock.
            if not is_locked(path.parent) if path.parent.name == "backups" else is_abandoned:
                partial_files.append(path)
    return partial_files


def remove_leftovers(home: Path, now: datetime, seconds: float = _ABANDONED_SECONDS) -> int:
    """Delete partial files of this age; returns how many."""
    count = 0
    for path in leftovers(home, now, seconds):
        try:
            path.unlink()
        except OSError:
            continue
        count += 1
    return count


class HomeAccess:
    """The access checks and repairs of the doctor for one home."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._home, self._clock = home, clock

    def open_to_others(self) -> list[str]:
        """Return what other users could read or change."""
        return open_to_others(self._home)

    def leftovers(self) -> list[Path]:
        """Return the partial files that killed processes left."""
        return leftovers(self._home, self._clock.now())

    def repair(self) -> tuple[int, int, list[str]]:
        """Fix both; returns how many were open to others, how many were partial, and what is still open."""
        removed = remove_leftovers(self._home, self._clock.now())
        opened, remaining = make_private(self._home)
        return opened, removed, remaining


class PrivateFiles:
    """Writes files like `Files`; those below the home get private modes."""

    def __init__(self, files: Files, home: Path) -> None:
        self._files, self._home = files, home
        self.read, self.real_path, self.siblings, self.link_target = (
            files.read,
            files.real_path,
            files.siblings,
            files.link_target,
        )

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        """Write as usual, and make the file private if it is below the home."""
        result = self._files.write(seen, content)
        path = Path(result.real_path)
        if content is None or self._home not in path.parents:
            return result
        for each in (path, *path.parents):
            if each == self._home:
                break
            status = each.lstat()
            if _is_open(status) and status.st_uid == os.geteuid():
                each.chmod(_private_mode(status))
        return structs.replace(result, mode=stat.S_IMODE(path.lstat().st_mode))


def _open_to_others(home: Path) -> Iterator[tuple[str, os.stat_result, int]]:
    """Yield each file and folder whose mode is not private, with the mode it should have; the home itself first."""
    pending = [os.path.realpath(home)]
    while pending:
        folder = pending.pop()
        try:
            status = os.lstat(folder)
        except OSError:
            continue
        if _is_open(status):
            yield folder, status, _private_mode(status)
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                pending.append(entry.path)
            elif entry.is_file(follow_symlinks=False):
                try:
                    entry_status = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # another process has just removed it: a journal, a copy that was moved into place
                if _is_open(entry_status):
                    yield entry.path, entry_status, _private_mode(entry_status)


def _is_open(status: os.stat_result) -> bool:
    return stat.S_IMODE(status.st_mode) != _private_mode(status)


def _private_mode(status: os.stat_result) -> int:
    """Return the owner's rights, at least to read and write, and nobody else's."""
    least = stat.S_IRWXU if stat.S_ISDIR(status.st_mode) else stat.S_IRUSR | stat.S_IWUSR
    return (stat.S_IMODE(status.st_mode) & stat.S_IRWXU) | least
