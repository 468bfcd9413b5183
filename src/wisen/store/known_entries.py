"""The current entries of a ledger, folded from its rows and kept up to date while rows are recorded."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import Entry, Move, MoveKind, Occurrence, rule_id
from wisen.model.entry_state import fold_entry_states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry_state import EntryState
    from wisen.model.guard import LearnedRow
    from wisen.model.reinforcement import Reinforcement
    from wisen.store.ledger import Ledger

_CHANGES_OTHER_ROWS = (MoveKind.UNDO, MoveKind.SPLIT)


class KnownEntries:
    """The state of all entries, read when first asked for. Recorded rows are folded in without reading all again."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._rows: _EntryRows | None = None
        self._states: tuple[EntryState, ...] | None = None

    @property
    def is_loaded(self) -> bool:
        """Return whether anything was read so far."""
        return self._rows is not None

    @property
    def states(self) -> tuple[EntryState, ...]:
        """Return the state of every entry, oldest first."""
        if self._states is None:
            self._states = tuple(self._load().states.values())
        return self._states

    @property
    def moves(self) -> Sequence[Move]:
        """Return every decision in force, oldest first."""
        return self._load().moves

    def record(self, rows: Sequence[LearnedRow]) -> None:
        """Record rows and update the states."""
        if not rows:
            return
        replaced = self._ledger.entries.record(rows)
        self._states = None
        if replaced or any(isinstance(row, Move) and row.kind in _CHANGES_OTHER_ROWS for row in rows):
            # Another process recorded the same under other ids, or other rows count differently now: read them again.
            self._rows = None
        elif self._rows is not None:
            self._rows.add(rows, self._ledger)

    def _load(self) -> _EntryRows:
        if self._rows is None:
            self._rows = _EntryRows(self._ledger)
        return self._rows


class _EntryRows:
    """The rows of all entries, and the states folded from them."""

    def __init__(self, ledger: Ledger) -> None:
        self.entries = {each.id: each for each in ledger.entries.all()}
        self.moves = list(ledger.moves.all())
        self._praises: Sequence[Reinforcement] = ledger.reinforcements.all()
        states = fold_entry_states(self.entries.values(), ledger.entries.tallies(), self.moves, self._praises)
        self.states = {each.entry.id: each for each in states}

    def add(self, rows: Sequence[LearnedRow], ledger: Ledger) -> None:
        """Add recorded rows, and fold the entries they concern again."""
        self.entries |= {row.id: row for row in rows if isinstance(row, Entry)}
        moves = [row for row in rows if isinstance(row, Move)]
        self.moves += moves
        concerned = {row.id for row in rows if isinstance(row, Entry)}
        concerned |= {row.entry for row in rows if isinstance(row, Occurrence)}
        concerned |= {move.subject for move in moves} & self.entries.keys()
        concerned |= {move.value for move in moves if move.kind is MoveKind.MERGE} & self.entries.keys()
        concerned = self._with_merged(concerned)
        by_subject: dict[str, list[Move]] = defaultdict(list)
        for move in self.moves:
            if move.subject in concerned:
                by_subject[move.subject].append(move)
        folded = fold_entry_states(
            [entry for id_, entry in self.entries.items() if id_ in concerned],
            ledger.entries.tallies(concerned),
            [move for some in by_subject.values() for move in some],
            self._praises,
        )
        self.states |= {each.entry.id: each for each in folded}

    def _with_merged(self, ids: set[str]) -> set[str]:
        """Return entries with those that they were merged into or that were merged into them: their counts add up."""
        links = [(id_, each.merged_into) for id_, each in self.states.items() if each.merged_into]
        before = 0
        while links and before != len(ids):
            before = len(ids)
            ids = ids | {id_ for pair in links if ids & {*pair} for id_ in pair if id_ in self.entries}
        return ids


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
