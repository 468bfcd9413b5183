"""An opened home: its stores, and what is needed to write rows into them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime
    from pathlib import Path

    from wisen.model.run import RunStamp
    from wisen.safety.forgotten_filter import DisabledSessions, ForgottenFilter
    from wisen.store.backups import Backups
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.store.row_factory import RowFactory
    from wisen.system.machine_ports import Clock, Ids, Lock

_PUBLISHING_SECONDS = 120.0
"""How long a process waits for others that write pages or snapshots: each takes a second of a large home."""


class Home(Struct, kw_only=True):
    """The stores and environment that most services use. One per Learner, shared."""

    path: Path
    """Where our own files are."""
    ledger: Ledger
    index: Index
    backups: Backups | None
    lock: Lock
    """Keeps other processes from writing to the same home at the same time."""
    clock: Clock
    ids: Ids
    machine: str
    version: str
    salt: Callable[[], bytes]
    """The key of digests of forgotten words and of the random draws of trials; created when first needed."""
    local: Callable[[datetime], datetime]
    """Convert a moment to local time: days begin at midnight where the user is."""
    evidence: str = ""
    """The evidence that a person makes the decisions recorded now; empty if there is none."""

    @contextmanager
    def one_publisher(self) -> Iterator[None]:
        """Hold the lock of all files that are made from the stores: pages for people, and snapshots for hooks.

        Whoever writes them reads the stores under this lock, so the last to write them has everything decided before.

        Raises:
            StoreBusy: another process did not finish in time.
            StoreReadOnly: the home cannot be written.
        """
        from wisen.errors import StoreReadOnly
        from wisen.system.folder_lock import lock_folder

        folder = self.path / "contexts"
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreReadOnly(f"{folder} cannot be made: {error.strerror}. Make {self.path} writable.") from error
        with lock_folder(folder, timeout=_PUBLISHING_SECONDS):
            yield

    @property
    def row_factory(self) -> RowFactory:
        """Return the factory of ledger rows."""
        from wisen.store.row_factory import RowFactory

        return RowFactory(self.clock, self.ids, self.machine, self.evidence)

    @property
    def forgotten_filter(self) -> ForgottenFilter:
        """Return the filter that keeps forgotten things from coming back, as of now."""
        from wisen.safety.forgotten_filter import ForgottenFilter

        keys = self.ledger.tombstones.all_keys()
        return ForgottenFilter(keys, self.salt() if keys else b"")

    @property
    def disabled_sessions(self) -> DisabledSessions:
        """Return the disabled sessions, as of now."""
        from wisen.safety.forgotten_filter import DisabledSessions

        keys = self.ledger.tombstones.all_keys()
        return DisabledSessions(keys, self.salt() if keys else b"")

    def run_stamp(self, began: datetime) -> RunStamp:
        """Return the stamp of a run that began then and ends now."""
        from wisen.model.run import RunStamp

        now = self.clock.now()
        return RunStamp(id=self.ids.new(), machine=self.machine, version=self.version, started=began, finished=now)
