"""The rows of the ledger, decoded once as long as the ledger stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.store.ledger import Ledger
    from wisen.store.ledger_removal import Row


class LedgerRows:
    """All rows that may have to be forgotten. Rows never change, so their seals tell whether any came or went."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seals = frozenset[str]()
        self._rows: Sequence[Row] = ()

    def all(self) -> Sequence[Row]:
        """Return the rows that are stored now."""
        seals = self._ledger.removal.seals()
        if seals != self._seals:
            self._rows, self._seals = tuple(self._ledger.removal.rows()), seals
        return self._rows
