"""Remembers what memories were last built from, so that a run builds only those whose origin changed.

A mark is a digest: of an entry's state and of the words in which it is told, or of a file's size and date.
"""

from __future__ import annotations

import json
import os
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec

from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home

_VERSION = 1
_encode = msgspec.msgpack.Encoder().encode


class MemoryMarks:
    """The marks of some origins when they were last indexed, and now."""

    def __init__(self, home: Home, name: str, indexed: frozenset[str]) -> None:
        """`name`: under which their marks are stored; `indexed`: the origins that have memories."""
        self._home, self._name, self._indexed = home, name, indexed
        self._before = _load(home, name)
        self._kept: dict[str, str] = {}
        self._changed: dict[str, str] = {}

    def is_changed(self, origin: str, mark: str) -> bool:
        """Whether the memories of an origin have to be built again; an empty mark says so."""
        flag = "+" if origin in self._indexed else "-"
        if mark and self._before.get(origin) == f"{mark}{flag}":
            self._kept[origin] = f"{mark}{flag}"
            return False
        self._changed[origin] = mark
        return True

    def is_kept(self, origin: str) -> bool:
        """Whether the memories of an origin stay as they are."""
        return origin in self._kept

    def save(self, built: Mapping[str, Sequence[object]]) -> None:
        """Store the marks; `built`: the memories of what had changed."""
        new = {origin: f"{mark}{'+' if built.get(origin) else '-'}" for origin, mark in self._changed.items() if mark}
        if self._kept | new != self._before:
            value = json.dumps(self._kept | new, separators=(",", ":"))
            self._home.index.folds.save(self._name, _version(self._home), Fold(0, value))


def state_mark(state: EntryState, text: str) -> str:
    """Return the mark of an entry that is told to agents in these words."""
    try:
        encoded = _encode((state, text))
    except UnicodeEncodeError:  # a lone surrogate
        encoded = repr((state, text)).encode("utf-8", "surrogatepass")
    return blake2b(encoded, digest_size=8).hexdigest()


def file_mark(path: Path, forgotten: str) -> str:
    """Return the mark of a file, from which forgotten texts are left out; empty where there is no such file."""
    try:
        status = os.stat(path)  # noqa: PTH116 - called for every file in every run
    except (OSError, ValueError):
        return ""
    return f"{status.st_size}.{status.st_mtime_ns}.{forgotten}"


def keys_mark(keys: Iterable[object]) -> str:
    """Return the mark of what was forgotten."""
    return blake2b("\n".join(sorted(map(repr, keys))).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _load(home: Home, name: str) -> Mapping[str, str]:
    stored = home.index.folds.load(name, _version(home))
    try:
        return {} if stored is None else msgspec.convert(json.loads(stored.value), dict[str, str])
    except (ValueError, msgspec.ValidationError):
        return {}


def _version(home: Home) -> str:
    return f"{_VERSION} {home.version}"
