"""What the ledger knows of entries, folded from its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Entry, Move
from wisen.model.entry_state import states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.guard import Learnt
    from wisen.store.ledger_port import Ledger


class Known:
    """What the ledger knows of entries. What is entered here is folded in, and nothing is read twice."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._entries = list(ledger.entries())
        self.moves = list(ledger.moves())
        self._praises = ledger.reinforcements()
        self.states = states(self._entries, ledger.tallies(), self.moves, self._praises)

    def enter(self, rows: Sequence[Learnt]) -> None:
        """Remember rows."""
        if not rows:
            return
        if self._ledger.enter(rows):
            # Somebody else recorded the same meanwhile, under other ids: what stands there is what is known.
            self._entries, self.moves = list(self._ledger.entries()), list(self._ledger.moves())
        else:
            self._entries += [row for row in rows if isinstance(row, Entry)]
            self.moves += [row for row in rows if isinstance(row, Move)]
        self.states = states(self._entries, self._ledger.tallies(), self.moves, self._praises)
