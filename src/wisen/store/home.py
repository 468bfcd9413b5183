"""An opened home: its stores, and what names, dates and places the rows that go into them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from wisen.model.run import RunStamp
    from wisen.safety.forgotten_filter import DisabledSessions, ForgottenFilter
    from wisen.store.backups import Backups
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.store.row_factory import RowFactory
    from wisen.system.machine_ports import Clock, Ids, Lock


@dataclass(kw_only=True)
class Home:
    """What nearly everybody works with. There is one for each Learner, and it is shared."""

    path: Path
    """Where our own files are."""
    ledger: Ledger
    index: Index
    backups: Backups | None
    lock: Lock
    """Keeps others from writing to the same home meanwhile."""
    clock: Clock
    ids: Ids
    machine: str
    version: str
    salt: Callable[[], bytes]
    """What digests of forgotten words, and the coins of trials, are keyed with: it is made when first needed."""
    local: Callable[[datetime], datetime]
    """A moment as clocks show it here: days begin at midnight where the user is."""
    evidence: str = ""
    """How it is known that a person decides what is written down now; empty where nobody does."""

    @property
    def row_factory(self) -> RowFactory:
        """What names, dates and places rows."""
        from wisen.store.row_factory import RowFactory

        return RowFactory(self.clock, self.ids, self.machine, self.evidence)

    @property
    def forgotten_filter(self) -> ForgottenFilter:
        """What keeps forgotten things from coming back, as the ledger knows them now."""
        from wisen.safety.forgotten_filter import ForgottenFilter

        keys = self.ledger.tombstones.all_keys()
        return ForgottenFilter(keys, self.salt() if keys else b"")

    @property
    def disabled_sessions(self) -> DisabledSessions:
        """The sessions that were switched off, as the ledger knows them now."""
        from wisen.safety.forgotten_filter import DisabledSessions

        keys = self.ledger.tombstones.all_keys()
        return DisabledSessions(keys, self.salt() if keys else b"")

    def run_stamp(self, began: datetime) -> RunStamp:
        """What a run that began then, and ends now, is known by."""
        from wisen.model.run import RunStamp

        now = self.clock.now()
        return RunStamp(id=self.ids.new(), machine=self.machine, version=self.version, started=began, finished=now)
