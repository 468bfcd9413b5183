"""Reads the versions of a file from git history. What git cannot or will not say is no history, never an error."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.instruction import Version
from wisen.model.plausible_time import nearest_time
from wisen.system.git import NO_ANSWER, Git, GitView
from wisen.system.git_view import top_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime
    from pathlib import Path

MAX_FILE_BYTES = 1_000_000
"""Maximum bytes of an instruction file."""
_MAX_TOTAL_BYTES = 64 * MAX_FILE_BYTES
"""Maximum bytes of all versions of one file together; older ones are left out."""
_MAX_VERSIONS = 500
_SETTINGS = ("-c", "log.diffMerges=first-parent", "-c", "log.showRoot=true")
_LOG = "log --first-parent -m --raw --no-abbrev -z --no-color --no-show-signature --format=%H%x20%ct".split()
"""First parents are what this checkout held in turn; the interleaved versions of two branches never existed here."""
_LINK_MODE = "120000"
_DELETED_MODE = "000000"


class _Change(NamedTuple):
    """What one commit did to one file."""

    commit: str
    at: datetime
    mode: str
    blob: str
    status: str
    name: bytes
    old_name: bytes
    """Where it came from, if it was moved or copied; otherwise its name."""


class GitHistory:
    """Queries git about the files of one repository after another, and gives up on those that are too large."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._git = Git(environment)
        self._move_cache: dict[tuple[Path, str], dict[bytes, bytes]] = {}

    def versions(self, files: Iterable[Path]) -> dict[Path, tuple[Version, ...]]:
        """Return the committed versions of each file that git knows, oldest first.

        From its deletion on, a file is empty. The paths are resolved: there are no links in them.
        """
        by_top: dict[Path, list[Path]] = defaultdict(list)
        for file in files:
            if (top := top_of(file)) is not None:
                by_top[top].append(file)
        return {
            file: versions
            for top, group in by_top.items()
            for file, versions in self._versions_in_repository(top, group)
        }

    def _versions_in_repository(self, top: Path, files: list[Path]) -> list[tuple[Path, tuple[Version, ...]]]:
        names = {os.fsencode(file.relative_to(top)): file for file in files}
        histories: list[tuple[Path, tuple[Version, ...]]] = []
        # A repository that git cannot read has no history; one that it cannot finish keeps what it returned.
        with suppress(*NO_ANSWER), self._git.view(top) as view:
            # One walk through all commits for all files: in a large repository the walk is what takes time.
            changes = self._changes(view, "HEAD", *names)
            for name, file in names.items():
                with suppress(*NO_ANSWER):
                    trace = list(islice(self._trace(view, name, changes[name]), _MAX_VERSIONS))
                    histories.append((file, self._versions(view, trace)))
        return histories

    def _versions(self, view: GitView, changes: list[_Change]) -> tuple[Version, ...]:
        texts = self._texts(view, (change.blob for change in changes if change.mode != _DELETED_MODE))
        versions: list[Version] = []
        for change in reversed(changes):
            text = "" if change.mode == _DELETED_MODE else texts.get(change.blob)
            if text is None or (versions and versions[-1].text == text):
                continue
            # These dates come from several people's clocks, but the order of the commits is certain.
            at = max(change.at, versions[-1].at) if versions else change.at
            versions.append(Version(at=at, text=text, origin=change.commit))
        return tuple(versions)

    def _trace(self, view: GitView, name: bytes, changes: list[_Change]) -> Iterator[_Change]:
        """Yield all changes of a file, newest first, also under its earlier names; a copy starts a new history."""
        while changes:
            older: list[_Change] = []
            for change in changes:
                if change.mode != _LINK_MODE:
                    yield change
                old_name = self._moves(view, change.commit).get(name) if change.status == "A" else None
                if old_name is not None:
                    name, older = old_name, self._changes(view, f"{change.commit}^", old_name)[old_name]
                    break
            changes = older

    def _moves(self, view: GitView, commit: str) -> dict[bytes, bytes]:
        """Return the files that a commit moved: the old name by the new name."""
        if (view.top, commit) not in self._move_cache:
            changes = self._parse_log(self._query(view, *_LOG, "-1", "-M", "-C", commit, "--"))
            links = {change.name for change in changes if change.mode == _LINK_MODE}
            self._move_cache[view.top, commit] = {
                change.name: change.old_name
                for change in changes
                # A file that left a link in its place was moved, although git calls it a copy.
                if change.status == "R" or (change.status == "C" and change.old_name in links)
            }
        return self._move_cache[view.top, commit]

    def _changes(self, view: GitView, start: str, *names: bytes) -> dict[bytes, list[_Change]]:
        """Return the changes of each of these names, newest first."""
        changes: dict[bytes, list[_Change]] = {name: [] for name in names}
        for change in self._parse_log(self._query(view, *_LOG, "--no-renames", start, "--", *map(os.fsdecode, names))):
            if change.name in changes:
                changes[change.name].append(change)
        return changes

    def _parse_log(self, log: bytes) -> list[_Change]:
        changes: list[_Change] = []
        parts = iter(log.split(b"\0"))
        commit, moment = "", ""
        for part in parts:
            raw = part.lstrip(b"\n")
            if not raw.startswith(b":"):
                commit, _, moment = raw.decode("ascii").partition(" ")
                continue
            _, mode, _, blob, status = raw.decode("ascii").split(" ")
            old_name = next(parts, b"")
            name = next(parts, b"") if status[0] in "RC" else old_name
            at = nearest_time(int(moment))
            changes.append(_Change(commit, at, mode, blob, status[0], name, old_name))
        return changes

    def _texts(self, view: GitView, blobs: Iterable[str]) -> dict[str, str]:
        """Return the text of each blob, without those that are too large."""
        wanted: list[str] = []
        budget = _MAX_TOTAL_BYTES
        for answer in self._batch(view, "--batch-check", dict.fromkeys(blobs)).splitlines():
            blob, _, size = answer.decode("ascii").partition(" blob ")
            if size and int(size) <= MAX_FILE_BYTES and (budget := budget - int(size)) >= 0:
                wanted.append(blob)
        content = self._batch(view, "--batch", wanted)
        texts: dict[str, str] = {}
        position = 0
        for blob in wanted:
            start = content.index(b"\n", position) + 1
            position = start + int(content[position:start].split()[2]) + 1
            texts[blob] = text_of(content[start : position - 1])
        return texts

    def _batch(self, view: GitView, option: str, blobs: Iterable[str]) -> bytes:
        request = "".join(f"{blob}\n" for blob in blobs)
        return self._query(view, "cat-file", option, stdin=request.encode()) if request else b""

    def _query(self, view: GitView, *arguments: str, stdin: bytes = b"") -> bytes:
        return view.query(*_SETTINGS, *arguments, stdin=stdin)


def text_of(content: bytes) -> str:
    """Decode a file or blob with uniform line ends: git may have converted them."""
    return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
