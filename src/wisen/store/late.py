"""A store that is opened by the first question to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index_port import Index


class Late:
    """A store that is opened by the first question to it: most of those who are asked never need the index."""

    def __init__(self, opening: Callable[[], Index]) -> None:
        self._opening = opening
        self._store: Index | None = None

    def __getattr__(self, name: str) -> object:
        if self._store is None:
            self._store = self._opening()
        return getattr(self._store, name)

    def close(self) -> None:
        """Let go of the store, if it was opened."""
        if self._store is not None:
            self._store.close()
