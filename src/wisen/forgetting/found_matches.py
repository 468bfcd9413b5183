"""What was found in the stores to be erased, for as long as they stay the same.

What a person was shown is then erased without searching for it a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from wisen.forgetting.erasure_search import ErasureMatches
    from wisen.store.home import Home


class FoundMatches:
    """The matches in the index and the ledger by what was searched for."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._stamp: tuple[str, frozenset[str]] | None = None
        self._matches: dict[Hashable, ErasureMatches] = {}

    def get(self, search: Hashable, find: Callable[[], ErasureMatches]) -> ErasureMatches:
        """Return a copy of what was found before, or of what is found now."""
        written = self._home.index.storage.stamp
        stamp = None if written is None else (written, self._home.ledger.removal.seals())
        if stamp is None or stamp != self._stamp:
            self._stamp, self._matches = stamp, {}
        if search not in self._matches:
            self._matches[search] = find()
        return self._matches[search].copy()
