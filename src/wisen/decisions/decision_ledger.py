"""A ledger that remembers which rows went into it while a decision was taken, so that it can be noted as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wisen.model.decision import decision_value
from wisen.model.entry import Entry, Move
from wisen.model.guard import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.change import Change
    from wisen.model.guard import Learnt
    from wisen.store.ledger_port import Ledger


class NewRows:
    """What was entered and changed while a decision was open."""

    def __init__(self) -> None:
        self.moves: list[Move] = []
        self.changes: list[str] = []
        self.entries: list[str] = []
        self.guards: list[str] = []

    def value(self, did: str) -> str:
        """What was decided, as the value of its move."""
        return decision_value(did, [each.id for each in self.moves], self.changes, self.entries, self.guards)


class DecisionLedger:
    """Another ledger, with a list of what was entered and changed through this one while a decision is open."""

    def __init__(self, ledger: Ledger) -> None:
        self.inner = ledger
        self._open: NewRows | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def is_open(self) -> bool:
        """Whether a decision is being taken."""
        return self._open is not None

    def begin(self) -> NewRows:
        """List what is entered and changed from now on."""
        self._open = NewRows()
        return self._open

    def end(self) -> None:
        """List nothing any more."""
        self._open = None

    def enter(self, rows: Iterable[Learnt]) -> dict[str, str]:
        """Enter rows into the other ledger."""
        if self._open is None:
            return self.inner.enter(rows)
        every, new = tuple(rows), self._open
        entries = {row.id for row in every if isinstance(row, Entry)}
        guards = {row.id for row in every if isinstance(row, Guard)}
        before = {each.id for each in self.inner.entries(entries)} if entries else set()
        watched = {each.id for each in self.inner.guards()} if guards else set()
        known = self.inner.enter(every)
        new.moves += [row for row in every if isinstance(row, Move)]
        new.entries += sorted(entries - before - known.keys())
        new.guards += sorted(guards - watched)
        return known

    def change(self, change: Change) -> bool:
        """Note a change in the other ledger."""
        is_noted = self.inner.change(change)
        if is_noted and self._open is not None:
            self._open.changes.append(change.id)
        return is_noted
