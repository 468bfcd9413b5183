"""A ledger that remembers which rows went into it, so that what was decided in one go can be noted as one decision."""

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


class DecisionLedger:
    """Another ledger, with a list of what was entered and changed through this one."""

    def __init__(self, ledger: Ledger) -> None:
        self.inner = ledger
        self.new_moves: list[Move] = []
        self.new_changes: list[str] = []
        self.new_entries: list[str] = []
        self.new_guards: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def enter(self, rows: Iterable[Learnt]) -> dict[str, str]:
        """Enter rows into the other ledger."""
        every = tuple(rows)
        entries = {row.id for row in every if isinstance(row, Entry)}
        guards = {row.id for row in every if isinstance(row, Guard)}
        before = {each.id for each in self.inner.entries(entries)} if entries else set()
        watched = {each.id for each in self.inner.guards()} if guards else set()
        known = self.inner.enter(every)
        self.new_moves += [row for row in every if isinstance(row, Move)]
        self.new_entries += sorted(entries - before - known.keys())
        self.new_guards += sorted(guards - watched)
        return known

    def change(self, change: Change) -> bool:
        """Note a change in the other ledger."""
        is_noted = self.inner.change(change)
        if is_noted:
            self.new_changes.append(change.id)
        return is_noted

    def value(self, did: str) -> str:
        """What was decided, as the value of its move."""
        moves = [each.id for each in self.new_moves]
        return decision_value(did, moves, self.new_changes, self.new_entries, self.new_guards)
