"""Builds ledger rows with their id, timestamp and machine filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import Actor, Move

if TYPE_CHECKING:
    from wisen.model.entry import MoveKind
    from wisen.system.machine_ports import Clock, Ids


class RowFactory(NamedTuple):
    """What names, dates and places a row that is written down."""

    clock: Clock
    ids: Ids
    machine: str
    evidence: str = ""
    """How it is known that a person decides, where one does."""

    def build_move(
        self, subject: str, kind: MoveKind, value: str = "", *, by: Actor = Actor.WISEN, why: str = ""
    ) -> Move:
        """A decision about an entry or a proposal; a person's tells how it is known to be one."""
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
