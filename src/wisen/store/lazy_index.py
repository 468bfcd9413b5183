"""An index that is opened by the first question to it."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from wisen.store.index import Index

if TYPE_CHECKING:
    from collections.abc import Callable


class LazyIndex(Index):
    """An index that is opened by the first question to it: most of those who are asked never need it."""

    def __init__(self, opening: Callable[[], Index]) -> None:
        self._opening = opening
        self._store: Index | None = None
        parts: dict[str, Any] = {field.name: _LazyPart(self._opened, field.name) for field in fields(Index)}
        super().__init__(**parts)

    def _opened(self) -> Index:
        if self._store is None:
            self._store = self._opening()
        return self._store

    def close(self) -> None:
        """Let go of the store, if it was opened."""
        if self._store is not None:
            self._store.close()


class _LazyPart:
    """One part of it: whoever is handed it has not asked yet."""

    def __init__(self, opened: Callable[[], Index], name: str) -> None:
        self._opened, self._name = opened, name

    def __getattr__(self, name: str) -> object:
        return getattr(getattr(self._opened(), self._name), name)
