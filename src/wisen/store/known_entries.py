"""What the ledger knows of entries, folded from its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import Entry, Move, rule_id
from wisen.model.entry_state import fold_entry_states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.guard import LearnedRow
    from wisen.store.ledger import Ledger


class KnownEntries:
    """What the ledger knows of entries. What is entered here is folded in, and nothing is read twice."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._entries = list(ledger.entries.all())
        self.moves = list(ledger.moves.all())
        self._praises = ledger.reinforcements.all()
        self.states = fold_entry_states(self._entries, ledger.entries.tallies(), self.moves, self._praises)

    def record(self, rows: Sequence[LearnedRow]) -> None:
        """Remember rows."""
        if not rows:
            return
        if self._ledger.entries.record(rows):
            # Somebody else recorded the same meanwhile, under other ids: what stands there is what is known.
            self._entries, self.moves = list(self._ledger.entries.all()), list(self._ledger.moves.all())
        else:
            self._entries += [row for row in rows if isinstance(row, Entry)]
            self.moves += [row for row in rows if isinstance(row, Move)]
        self.states = fold_entry_states(self._entries, self._ledger.entries.tallies(), self.moves, self._praises)


def entry_states(ledger: Ledger) -> tuple[EntryState, ...]:
    """Every entry with what became of it, oldest first."""
    return fold_entry_states(
        ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all(), ledger.reinforcements.all()
    )


def find_entry(every: Sequence[EntryState], name: str) -> EntryState:
    """An entry by its name or id, or the beginning of its name.

    Raises:
        UsageError: no entry, or more than one, has such a name.
    """
    fits = [
        each
        for each in every
        if name and (each.entry.name.startswith(name.upper()) or name in (each.entry.id, rule_id(each.entry.id)))
    ]
    exact = [each for each in fits if each.entry.name == name.upper()]
    if len(exact or fits) != 1:
        found = f"{len(fits)} entries begin with" if fits else "No entry has the name"
        raise UsageError(f"{found} {name!r}. The names stand beside the entries: wisen entries")
    return (exact or fits)[0]
