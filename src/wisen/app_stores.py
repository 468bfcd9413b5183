"""Opens the stores that the settings select: the ledger with its backups, and the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import settings as all_settings

if TYPE_CHECKING:
    from wisen.settings import Settings
    from wisen.store.backups import Backups
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Clock


class StoreWiring:
    """Opens the stores of one installation."""

    settings: Settings

    def clock(self) -> Clock:
        """Return the system clock."""
        from wisen.system.clock import SystemClock

        return SystemClock()

    def ledger(self, *, asked: bool = False) -> Ledger:
        """Open the ledger that the settings select; with `asked`, for queries only, without a full check."""
        store = self.settings.store
        if self._is_team:
            from wisen.store.postgres_ledger import open_team_ledger

            return open_team_ledger(store.ledger, busy=store.busy_seconds)
        from wisen.store.sqlite_ledger import open_ledger

        home = self.settings.home
        return open_ledger(home / "ledger.db", backups=home / "backups", busy=store.busy_seconds, read_only=asked)

    def backups(self) -> Backups | None:
        """Return the backups of the ledger; None unless it is a file."""
        if self._is_team:
            return None
        from wisen.store.backups import LedgerBackups

        home, store = self.settings.home, self.settings.store
        return LedgerBackups(
            home / "ledger.db", home / "backups", clock=self.clock(), keep=store.backups, busy=store.busy_seconds
        )

    @property
    def _is_team(self) -> bool:
        return self.settings.store.ledger.startswith(("postgresql://", "postgres://"))

    def _ledger_name(self) -> str:
        shown = {each.key: each.value for each in all_settings.describe(self.settings)}["store.ledger"]
        return str(shown) if self._is_team else str(self.settings.home / "ledger.db")

    def _index(self) -> tuple[Index, str | None]:
        from wisen.store.sqlite_index import open_index

        store = self.settings.store
        return open_index(self.settings.home / "index.db", clock=self.clock(), busy=store.busy_seconds)

    def _intact_index(self) -> Index:
        """Open the index if it is intact. Raises: StoreDamaged."""
        from wisen.store.sqlite_files import INDEX, open_file
        from wisen.store.sqlite_index import SqliteIndex

        busy = self.settings.store.busy_seconds
        return SqliteIndex(open_file(self.settings.home / "index.db", INDEX, busy=busy), self.clock(), busy)
