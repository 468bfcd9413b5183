"""Reads the versions of a file from git history. What git cannot or will not say is no history, never an error."""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.instruction import Version
from wisen.system.git import NO_ANSWER, Git, GitView
from wisen.system.git_view import top_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

LARGEST = 1_000_000
"""Maximum bytes of an instruction file."""
_ALL = 64 * LARGEST
"""Maximum bytes of all versions of one file together; older ones are left out."""
_VERSIONS = 500
_SETTINGS = ("-c", "log.diffMerges=first-parent", "-c", "log.showRoot=true")
_LOG = "log --first-parent -m --raw --no-abbrev -z --no-color --no-show-signature --format=%H%x20%ct".split()
"""First parents are what this checkout held in turn; the interleaved versions of two branches never existed here."""
_LINK = "120000"
_NOTHING = "000000"


class _Change(NamedTuple):
    """What one commit did to one file."""

    commit: str
    at: datetime
    mode: str
    blob: str
    status: str
    name: bytes
    before: bytes
    """Where it came from, if it was moved or copied; otherwise its name."""


class GitHistory:
    """Queries git about the files of one repository after another, and gives up on those that are too large."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._git = Git(environment)
        self._moves_of: dict[tuple[Path, str], dict[bytes, bytes]] = {}

    def versions(self, files: Iterable[Path]) -> dict[Path, tuple[Version, ...]]:
        """Return the committed versions of each file that git knows, oldest first.

        From its deletion on, a file is empty. The paths are resolved: there are no links in them.
        """
        by_top: dict[Path, list[Path]] = defaultdict(list)
        for file in files:
            if (top := top_of(file)) is not None:
                by_top[top].append(file)
        return {file: found for top, group in by_top.items() for file, found in self._of_repository(top, group)}

    def _of_repository(self, top: Path, files: list[Path]) -> list[tuple[Path, tuple[Version, ...]]]:
        names = {os.fsencode(file.relative_to(top)): file for file in files}
        found: list[tuple[Path, tuple[Version, ...]]] = []
        # A repository that git cannot read has no history; one that it cannot finish keeps what it returned.
        with suppress(*NO_ANSWER), self._git.view(top) as view:
            # One walk through all commits for all files: in a large repository the walk is what takes time.
            changes = self._changes(view, "HEAD", *names)
            for name, file in names.items():
                with suppress(*NO_ANSWER):
                    course = list(islice(self._course(view, name, changes[name]), _VERSIONS))
                    found.append((file, self._versions(view, course)))
        return found

    def _versions(self, view: GitView, course: list[_Change]) -> tuple[Version, ...]:
        texts = self._texts(view, (change.blob for change in course if change.mode != _NOTHING))
        versions: list[Version] = []
        for change in reversed(course):
            text = "" if change.mode == _NOTHING else texts.get(change.blob)
            if text is None or (versions and versions[-1].text == text):
                continue
            # These dates come from several people's clocks, but the order of the commits is certain.
            at = max(change.at, versions[-1].at) if versions else change.at
            versions.append(Version(at=at, text=text, origin=change.commit))
        return tuple(versions)

    def _course(self, view: GitView, name: bytes, changes: list[_Change]) -> Iterator[_Change]:
        """Yield all changes of a file, newest first, also under its earlier names; a copy starts a new history."""
        while changes:
            older: list[_Change] = []
            for change in changes:
                if change.mode != _LINK:
                    yield change
                before = self._moves(view, change.commit).get(name) if change.status == "A" else None
                if before is not None:
                    name, older = before, self._changes(view, f"{change.commit}^", before)[before]
                    break
            changes = older

    def _moves(self, view: GitView, commit: str) -> dict[bytes, bytes]:
        """Return the files that a commit moved: the old name by the new name."""
        if (view.top, commit) not in self._moves_of:
            changes = self._parsed(self._ask(view, *_LOG, "-1", "-M", "-C", commit, "--"))
            links = {change.name for change in changes if change.mode == _LINK}
            self._moves_of[view.top, commit] = {
                change.name: change.before
                for change in changes
                # A file that left a link in its place was moved, although git calls it a copy.
                if change.status == "R" or (change.status == "C" and change.before in links)
            }
        return self._moves_of[view.top, commit]

    def _changes(self, view: GitView, start: str, *names: bytes) -> dict[bytes, list[_Change]]:
        """Return the changes of each of these names, newest first."""
        found: dict[bytes, list[_Change]] = {name: [] for name in names}
        for change in self._parsed(self._ask(view, *_LOG, "--no-renames", start, "--", *map(os.fsdecode, names))):
            if change.name in found:
                found[change.name].append(change)
        return found

    def _parsed(self, log: bytes) -> list[_Change]:
        changes: list[_Change] = []
        parts = iter(log.split(b"\0"))
        commit, moment = "", ""
        for part in parts:
            raw = part.lstrip(b"\n")
            if not raw.startswith(b":"):
                commit, _, moment = raw.decode("ascii").partition(" ")
                continue
            _, mode, _, blob, status = raw.decode("ascii").split(" ")
            before = next(parts, b"")
            name = next(parts, b"") if status[0] in "RC" else before
            at = datetime.fromtimestamp(int(moment), UTC)
            changes.append(_Change(commit, at, mode, blob, status[0], name, before))
        return changes

    def _texts(self, view: GitView, blobs: Iterable[str]) -> dict[str, str]:
        """Return the text of each blob, without those that are too large."""
        chosen: list[str] = []
        left = _ALL
        for answer in self._batch(view, "--batch-check", dict.fromkeys(blobs)).splitlines():
            blob, _, size = answer.decode("ascii").partition(" blob ")
            if size and int(size) <= LARGEST and (left := left - int(size)) >= 0:
                chosen.append(blob)
        content = self._batch(view, "--batch", chosen)
        texts: dict[str, str] = {}
        position = 0
        for blob in chosen:
            start = content.index(b"\n", position) + 1
            position = start + int(content[position:start].split()[2]) + 1
            texts[blob] = text_of(content[start : position - 1])
        return texts

    def _batch(self, view: GitView, how: str, blobs: Iterable[str]) -> bytes:
        asked = "".join(f"{blob}\n" for blob in blobs)
        return self._ask(view, "cat-file", how, typed=asked.encode()) if asked else b""

    def _ask(self, view: GitView, *arguments: str, typed: bytes = b"") -> bytes:
        return view.ask(*_SETTINGS, *arguments, typed=typed)


def text_of(content: bytes) -> str:
    """Decode a file or blob with uniform line ends: git may have converted them."""
    return content.decode("utf-8", "replace").removeprefix("\ufeff").replace("\r\n", "\n")
