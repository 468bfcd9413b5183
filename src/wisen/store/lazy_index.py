"""An index that is opened on first use."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from wisen.store.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyIndex(Index):
    """An index that is opened on first use: most commands never need it."""

    def __init__(self, open_index: Callable[[], Index]) -> None:
        self._open_index = open_index
        self._store: Index | None = None
        parts: dict[str, Any] = {field.name: _LazyPart(self._opened, field.name) for field in fields(Index)}
        super().__init__(**parts)

    def _opened(self) -> Index:
        if self._store is None:
            self._store = self._open_index()
        return self._store

    def close(self) -> None:
        """Close the store, if it was opened."""
        if self._store is not None:
            self._store.close()


class _LazyPart:
    """One part of the index, which opens it on first use."""

    def __init__(self, opened: Callable[[], Index], name: str) -> None:
        self._opened, self._name = opened, name

    def __getattr__(self, name: str) -> object:
        return getattr(getattr(self._opened(), self._name), name)
