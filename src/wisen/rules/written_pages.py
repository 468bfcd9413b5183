"""Remembers for which entries the pages of a context were written, to leave them alone while neither has changed."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wisen.rules.context_files import context_files, page_paths
from wisen.store.folds import Fold, keep_fold

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from wisen.rules.context_files import ContextFiles
    from wisen.store.folds import Folds

_NAME = "context-pages"
_FORMAT = "2"
_encode = msgspec.msgpack.Encoder(enc_hook=str).encode


class PageCounts(NamedTuple):
    """How many lines the pages of a context have."""

    rules: int
    corrections: int


class WrittenPages:
    """The pages that were as they should be when they were last looked at: a digest of their content, and their files.

    A page counts as unchanged if its size, its times and its place on the disk are as they were.
    """

    def __init__(self, folds: Folds, version: str) -> None:
        """Load what is known. `version`: of the program that wrote them."""
        self._folds, self._version = folds, f"{_FORMAT} {version}"
        stored = folds.load(_NAME, self._version)
        self._before = {} if stored is None else _decode(stored.value)
        self._now: dict[str, list[Any]] = {}

    def are_unchanged(self, home: Path, keys: Iterable[str]) -> bool:
        """Return whether the pages of these contexts were written, and all of them are as they were."""
        return all(
            (stored := self._before.get(key)) is not None and stored[1] == stamps(context_files(home, key, ""))
            for key in keys
        )

    def find(self, pages: ContextFiles, about: object) -> PageCounts | None:
        """Return the counts of a context's pages if they were written for the same content and are unchanged."""
        stored = self._before.get(pages.key)
        if stored is None or stored[:2] != [_digest(about), stamps(pages)]:
            return None
        self._now[pages.key] = stored
        return PageCounts(*stored[2:])

    def add(self, pages: ContextFiles, about: object, counts: PageCounts) -> None:
        """Remember that the pages of a context need no change."""
        self._now[pages.key] = [_digest(about), stamps(pages), *counts]

    def save(self) -> None:
        """Store what is known now."""
        if self._now != self._before:
            keep_fold(self._folds, _NAME, self._version, Fold(0, json.dumps(self._now, sort_keys=True)))


def stamps(pages: ContextFiles) -> list[list[int] | None]:
    """Return by what the files of a context are recognized as unchanged."""
    return [_stamp(path) for path in page_paths(pages)]


def _stamp(path: Path) -> list[int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino]


def _digest(about: object) -> str:
    try:
        encoded = _encode(about)
    except UnicodeEncodeError:  # a lone surrogate
        encoded = repr(about).encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=16).hexdigest()


def _decode(value: str) -> dict[str, list[Any]]:
    """Return what was stored; nothing if it cannot be read."""
    try:
        decoded = json.loads(value)
    except ValueError:
        return {}
    is_valid = isinstance(decoded, dict) and all(
        isinstance(each, list) and len(each) == 4 and all(isinstance(count, int) for count in each[2:])
        for each in decoded.values()
    )
    return decoded if is_valid else {}
