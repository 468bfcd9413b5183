"""The current entries of a ledger, folded from its rows and kept up to date while rows are recorded."""

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
    """The state of all entries. Rows recorded here are folded in without reading the ledger again."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._entries = list(ledger.entries.all())
        self.moves = list(ledger.moves.all())
        self._praises = ledger.reinforcements.all()
        self.states = fold_entry_states(self._entries, ledger.entries.tallies(), self.moves, self._praises)

    def record(self, rows: Sequence[LearnedRow]) -> None:
        """Record rows and update the states."""
        if not rows:
            return
        if self._ledger.entries.record(rows):
            # Another process recorded the same under other ids: the ledger's version counts.
            self._entries, self.moves = list(self._ledger.entries.all()), list(self._ledger.moves.all())
        else:
            self._entries += [row for row in rows if isinstance(row, Entry)]
            self.moves += [row for row in rows if isinstance(row, Move)]
        self.states = fold_entry_states(self._entries, self._ledger.entries.tallies(), self.moves, self._praises)


def entry_states(ledger: Ledger) -> tuple[EntryState, ...]:
    """Return the state of every entry, oldest first."""
    return fold_entry_states(
        ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all(), ledger.reinforcements.all()
    )


def find_entry(states: Sequence[EntryState], name: str) -> EntryState:
    """Return an entry by its name or id, or a prefix of its name.

    Raises:
        UsageError: no entry, or more than one, matches.
    """
    matches = [
        each
        for each in states
        if name and (each.entry.name.startswith(name.upper()) or name in (each.entry.id, rule_id(each.entry.id)))
    ]
    exact = [each for each in matches if each.entry.name == name.upper()]
    if len(exact or matches) != 1:
        problem = f"{len(matches)} lessons begin with" if matches else "No lesson has the name"
        raise UsageError(f"{problem} {name!r}. List them with: wisen lessons")
    return (exact or matches)[0]
