"""A ledger wrapper that collects the rows written during a decision, so that they can be undone together."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from wisen.model.decision import decision_value
from wisen.model.entry import Entry, Move
from wisen.model.guard import Guard
from wisen.store.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.change import Change, ChangeCheck
    from wisen.model.entry import Tally
    from wisen.model.guard import LearnedRow
    from wisen.store.changes import Changes


class NewRows:
    """The rows recorded and changed while a decision is open."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.changes: list[str] = []
        self.entries: list[str] = []
        self.guards: list[str] = []

    def value(self, did: str) -> str:
        """Encode the decision as the value of its move."""
        return decision_value(did, [each.id for each in self.moves], self.changes, self.entries, self.guards)


class DecisionLedger(Ledger):
    """Wraps a ledger and collects what is recorded and changed through it while a decision is open."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(**{field.name: getattr(ledger, field.name) for field in fields(Ledger)})
        self._open: NewRows | None = None
        self.entries = _RecordedEntries(self, ledger)
        self.changes = _RecordedChanges(self, ledger.changes)

    @property
    def new_rows(self) -> NewRows | None:
        """What the open decision did so far; None if no decision is open."""
        return self._open

    @property
    def is_open(self) -> bool:
        """Whether a decision is open."""
        return self._open is not None

    def begin(self) -> NewRows:
        """Start collecting."""
        self._open = NewRows()
        return self._open

    def end(self) -> None:
        """Stop collecting."""
        self._open = None


class _RecordedEntries:
    """The entries of the wrapped ledger; collects what is recorded."""

    def __init__(self, decision: DecisionLedger, ledger: Ledger) -> None:
        self._decision, self._inner, self._guards = decision, ledger.entries, ledger.guards

    def record(self, rows: Iterable[LearnedRow]) -> dict[str, str]:
        """Record rows in the wrapped ledger."""
        new = self._decision.new_rows
        if new is None:
            return self._inner.record(rows)
        every = tuple(rows)
        entries = {row.id for row in every if isinstance(row, Entry)}
        guards = {row.id for row in every if isinstance(row, Guard)}
        before = {each.id for each in self._inner.of(entries)} if entries else set()
        watched = {each.id for each in self._guards.all()} if guards else set()
        known = self._inner.record(every)
        new.moves += [row for row in every if isinstance(row, Move)]
        new.entries += sorted(entries - before - known.keys())
        new.guards += sorted(guards - watched)
        return known

    def all(self) -> tuple[Entry, ...]:
        """Return every entry."""
        return self._inner.all()

    def of(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries with these ids."""
        return self._inner.of(ids)

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """Return how often each entry was seen."""
        return self._inner.tallies(ids)

    def ids(self) -> frozenset[str]:
        """Return the ids of all entries."""
        return self._inner.ids()

    def ranked_ids(self, context: str | None = None) -> tuple[str, ...]:
        """Return the ids of entries, those of most sessions first."""
        return self._inner.ranked_ids(context)

    def closed_entries(self) -> dict[str, str]:
        """Return the closed entries."""
        return self._inner.closed_entries()


class _RecordedChanges:
    """The changes of the wrapped ledger; collects what is added."""

    def __init__(self, decision: DecisionLedger, inner: Changes) -> None:
        self._decision, self._inner = decision, inner

    def add(self, change: Change) -> bool:
        """Record a change in the wrapped ledger."""
        is_noted = self._inner.add(change)
        new = self._decision.new_rows
        if is_noted and new is not None:
            new.changes.append(change.id)
        return is_noted

    def rewrite(self, change: Change) -> None:
        """Replace the change with the same id."""
        self._inner.rewrite(change)

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """Return the edits of the files of one machine, or of one file."""
        return self._inner.of(machine=machine, path=path)

    def add_check(self, look: ChangeCheck) -> None:
        """Record the fate of a change."""
        self._inner.add_check(look)

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """Return the recorded fates of changes on one machine."""
        return self._inner.checks(machine=machine)
