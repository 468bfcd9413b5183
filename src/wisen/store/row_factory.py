"""Builds ledger rows with their id, timestamp and machine filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import Actor, Move

if TYPE_CHECKING:
    from wisen.model.entry import MoveKind
    from wisen.system.machine_ports import Clock, Ids


class RowFactory(NamedTuple):
    """Builds rows of one machine with the current time."""

    clock: Clock
    ids: Ids
    machine: str
    evidence: str = ""
    """The evidence that a person decides, if one does."""

    def build_move(
        self, subject: str, kind: MoveKind, value: str = "", *, by: Actor = Actor.WISEN, why: str = ""
    ) -> Move:
        """Build a decision row; a person's decision also records the evidence that a person made it."""
        if by is Actor.USER and self.evidence:
            why = "; ".join(filter(None, (why, self.evidence)))
        return Move(
            id=self.ids.new(),
            subject=subject,
            machine=self.machine,
            at=self.clock.now(),
            by=by,
            kind=kind,
            value=value,
            why=why,
        )
