"""Records what a process does to files, and builds what a disk may hold after the power was cut at any moment.

What a disk holds follows from what was synced, not from what was written: names (files made, renamed, removed) last
from the sync of their folder on, contents from the sync of their file on. Of what was not synced, names survive up to
any moment for each folder, and each page of 4096 bytes is as it was at any moment since the last sync: so writes are
dropped, come in another order, and are torn at pages. The same holds for the length of a file.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.battery.forked_commands import Entry, Tree, read_tree

if TYPE_CHECKING:
    import random

    from tests.battery.system_calls import Call

PAGE = 4096
_WRITES = frozenset({"write", "pwrite64", "writev", "pwritev", "sendfile", "copy_file_range"})
_TRUNCATES = frozenset({"ftruncate", "truncate"})
_SYNCS = frozenset({"fsync", "fdatasync"})
_NAMES = frozenset({
    *("open", "openat", "creat", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "rmdir"),
    *("mkdir", "mkdirat", "symlink", "symlinkat"),
})  # fmt: skip
_CREATE, _TRUNCATE = os.O_CREAT, os.O_TRUNC
_NOT_KEPT = "-shm"
"""SQLite's shared memory: it is made anew by whoever opens the database first."""


class Write(NamedTuple):
    """Bytes at a place in a file; no bytes at all: the file was cut or lengthened to there."""

    moment: int
    at: int
    data: bytes | None


class Naming(NamedTuple):
    """What names lead to from a moment on: a file by its number, a folder or a link, or nothing."""

    moment: int
    folder: str
    names: dict[str, int | Entry | None]
    completes: bool
    """Whether a file came under its name at once, or went: by a rename, a link or a removal."""


@dataclass
class File:
    """Contents over time, whatever their names."""

    mode: int
    start: bytes = b""
    writes: list[Write] = field(default_factory=list)
    syncs: list[int] = field(default_factory=list)


@dataclass
class Recording:
    """All that happened below a folder; watches a process (see `system_calls`)."""

    root: Path
    output: Path
    """Where the process prints to."""
    moment: int = 0
    """How many things happened so far."""
    files: list[File] = field(default_factory=list)
    start: dict[str, int | Entry] = field(default_factory=dict)
    namings: list[Naming] = field(default_factory=list)
    folder_syncs: dict[str, list[int]] = field(default_factory=dict)
    printed: list[int] = field(default_factory=list)
    """The moments at which something was printed."""
    _now: dict[str, int | Entry] = field(default_factory=dict)
    _numbers: dict[int, int] = field(default_factory=dict)
    """By the file system's number of a file, ours."""
    _existed: bool = False

    @classmethod
    def of(cls, root: Path, output: Path) -> Recording:
        """Begin with what is there, all of which counts as synced."""
        new = cls(root, output)
        for name, entry in read_tree(root).items():
            if entry.kind == "file":
                new._add_file(root / name, name, entry)
            else:
                new.start[name] = entry
        new._now = dict(new.start)
        return new

    def before(self, call: Call) -> int | None:
        """See `Watcher`."""
        if call.path == str(self.output) and call.name == "write":
            return 0
        if not call.path.startswith(f"{self.root}/") and not call.other.startswith(f"{self.root}/"):
            return 0 if call.name in _SYNCS and call.path == str(self.root) else None
        if call.name in ("open", "openat"):
            flags = call.arguments[1 if call.name == "open" else 2]
            if not flags & (_CREATE | _TRUNCATE):
                return None
            self._existed = os.path.lexists(call.path)
            return 0
        return 0 if call.name in _WRITES | _TRUNCATES | _SYNCS | _NAMES else None

    def after(self, call: Call, result: int) -> None:
        """See `Watcher`."""
        if result < 0:
            return
        self.moment += 1
        if call.path == str(self.output):
            self.printed.append(self.moment)
        elif call.name in _WRITES:
            self._write(call, result)
        elif call.name in _TRUNCATES:
            self._file_of(call).writes.append(Write(self.moment, call.arguments[1], None))
        elif call.name in _SYNCS:
            if stat.S_ISDIR(os.stat(call.handle).st_mode):  # noqa: PTH116 - a handle, not a path
                self.folder_syncs.setdefault(self._relative(call.path), []).append(self.moment)
            else:
                self._file_of(call).syncs.append(self.moment)
        else:
            self._rename(call, result)

    def _relative(self, path: str) -> str:
        return os.path.relpath(path, self.root) if path != str(self.root) else ""

    def _add_file(self, place: Path, name: str, entry: Entry) -> None:
        number = self._numbers.get(place.lstat().st_ino)
        if number is None:
            number = self._numbers[place.lstat().st_ino] = len(self.files)
            self.files.append(File(entry.mode, entry.content))
        self.start[name] = number

    def _file_of(self, call: Call) -> File:
        place = call.path if call.name == "truncate" else call.handle
        return self.files[self._numbers[os.stat(place).st_ino]]  # noqa: PTH116 - a handle, not a path

    def _write(self, call: Call, length: int) -> None:
        if call.name.startswith("pwrite"):
            at = call.arguments[3]
        else:
            number = call.handle.rpartition("/")[2]
            position = Path(f"/proc/{call.process}/fdinfo/{number}").read_text().split(None, 2)[1]
            at = int(position) - length
        with open(call.handle, "rb", buffering=0) as file:  # noqa: PTH123 - a handle, not a path
            file.seek(at)
            data = file.read(length)
        self._file_of(call).writes.append(Write(self.moment, at, data))

    def _rename(self, call: Call, result: int) -> None:
        kind = call.name.removesuffix("2").removesuffix("at")
        name, other = self._relative(call.path), self._relative(call.other) if call.other else ""
        names: dict[str, int | Entry | None]
        if kind in ("open", "creat"):
            handle = f"/proc/{call.process}/fd/{result}"
            status = os.stat(handle)  # noqa: PTH116 - a handle, not a path
            if self._existed:
                if stat.S_ISREG(status.st_mode) and status.st_size == 0:
                    self.files[self._numbers[status.st_ino]].writes.append(Write(self.moment, 0, None))
                return
            self._numbers[status.st_ino] = len(self.files)
            names = {name: len(self.files)}
            self.files.append(File(stat.S_IMODE(status.st_mode)))
        elif kind == "rename":
            target = self._now[name]
            if isinstance(target, Entry) and target.kind == "folder":
                raise NotImplementedError(f"the folder {name} was renamed, which is not modelled")
            names = {name: None, other: target}
        elif kind == "link":
            names = {other: self._now[name]}
        elif kind in ("mkdir", "symlink"):
            status = os.lstat(call.path)
            is_folder = kind == "mkdir"
            content = b"" if is_folder else os.fsencode(os.readlink(call.path))  # noqa: PTH115 - bytes are kept
            names = {name: Entry("folder" if is_folder else "link", stat.S_IMODE(status.st_mode), content)}
        else:
            names = {name: None}
        self.namings.append(Naming(self.moment, os.path.dirname(other or name), names, kind in _COMPLETING))  # noqa: PTH120
        _update(self._now, names)

    def whole(self, moment: int) -> Tree:
        """What everybody saw at a moment, which a disk holds if everything was synced."""
        now = dict(self.start)
        for naming in self.namings:
            if naming.moment <= moment:
                _update(now, naming.names)
        return self._tree(now, lambda file: _content(file, moment, moment, None))

    def cut(self, moment: int, chance: random.Random) -> Tree:
        """What a disk may hold after a power cut at a moment."""
        keep_names, keep_data = chance.choice(_HOW)
        now = dict(self.start)
        until: dict[str, int] = {}
        for naming in self.namings:
            if naming.moment > moment:
                break
            if naming.folder not in until:
                until[naming.folder] = self._last_name(naming.folder, moment, keep_names, chance)
            if naming.moment <= until[naming.folder]:
                _update(now, naming.names)

        def content(file: File) -> bytes:
            synced = max((each for each in file.syncs if each <= moment), default=0)
            if keep_data is not None:
                return _content(file, moment if keep_data else synced, moment, None)
            return _content(file, synced, moment, chance)

        return self._tree(now, content)

    def _last_name(self, folder: str, moment: int, keep: bool | None, chance: random.Random) -> int:
        """Up to which moment the names in a folder survive."""
        synced = max((each for each in self.folder_syncs.get(folder, ()) if each <= moment), default=0)
        if keep is not None:
            return moment if keep else synced
        later = [each.moment for each in self.namings if each.folder == folder and synced < each.moment <= moment]
        return chance.choice([synced, *later])

    def _tree(self, names: dict[str, int | Entry], content: _ContentOf) -> Tree:
        found: Tree = {}
        for name, target in sorted(names.items()):
            above = os.path.dirname(name)  # noqa: PTH120 - not on this disk
            if (above and above not in found) or name.endswith(_NOT_KEPT):
                continue  # its folder did not survive
            if isinstance(target, Entry):
                found[name] = target
            else:
                found[name] = Entry("file", self.files[target].mode, content(self.files[target]))
        return found


if TYPE_CHECKING:
    from collections.abc import Callable

    _ContentOf = Callable[[File], bytes]

_COMPLETING = frozenset({"rename", "link", "unlink"})
_HOW: tuple[tuple[bool | None, bool | None], ...] = (
    (False, False), (True, True), (True, False), (False, True), (None, None), (None, None), (True, None), (None, False),
)  # fmt: skip
"""Which of the names and of the contents that were not synced survive: all, none, or (None) any of them."""


def _update(now: dict[str, int | Entry], names: dict[str, int | Entry | None]) -> None:
    for name, target in names.items():
        if target is None:
            now.pop(name, None)
        else:
            now[name] = target


def _content(file: File, synced: int, moment: int, chance: random.Random | None) -> bytes:
    """The content of a file: all that was written up to `synced`, and by chance parts of the rest up to `moment`."""
    content = bytearray(file.start)
    loose = [each for each in file.writes if synced < each.moment <= moment]
    for write in file.writes:
        if write.moment <= synced:
            _apply(content, write)
    if chance is None or not loose:
        return bytes(content)
    length = bytearray(content)
    for write in loose[: _any_number(len(loose), chance)]:
        _apply(length, write)
    size, until = len(length), dict[int, int]()
    for number, write in enumerate(loose):
        if write.data is None:
            for page in range(write.at // PAGE, len(content) // PAGE + 1):
                if number < _page_limit(page, until, len(loose), chance):
                    start, end = max(write.at, page * PAGE), min(len(content), (page + 1) * PAGE)
                    content[start:end] = bytes(max(end - start, 0))
            continue
        for page in range(write.at // PAGE, (write.at + len(write.data) - 1) // PAGE + 1):
            if number < _page_limit(page, until, len(loose), chance):
                start, end = max(write.at, page * PAGE), min(write.at + len(write.data), (page + 1) * PAGE)
                _apply(content, Write(0, start, write.data[start - write.at : end - write.at]))
    return bytes(content[:size].ljust(size, b"\0"))


def _apply(content: bytearray, write: Write) -> None:
    if write.data is None:
        del content[write.at :]
        content.extend(bytes(write.at - len(content)))
    else:
        content.extend(bytes(max(write.at - len(content), 0)))
        content[write.at : write.at + len(write.data)] = write.data


def _page_limit(page: int, until: dict[int, int], most: int, chance: random.Random) -> int:
    if page not in until:
        until[page] = _any_number(most, chance)
    return until[page]


def _any_number(most: int, chance: random.Random) -> int:
    """None, all or any number of them, each about as often."""
    return chance.choice((0, most, chance.randint(0, most)))
