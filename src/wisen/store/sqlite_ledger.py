"""Opens the ledger of one machine in a SQLite file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.store.backups import list_backups
from wisen.store.ledger import SqlLedger
from wisen.store.sqlite_files import LEDGER, open_file

if TYPE_CHECKING:
    from pathlib import Path


def open_ledger(path: Path, *, backups: Path, busy: float = 10.0, read_only: bool = False) -> SqlLedger:
    """Open the ledger in a file; created only if none was ever backed up. `busy`: how many seconds to wait for locks.

    With `read_only` it is opened faster and not checked.

    Raises:
        StoreDamaged: the file is not as we wrote it, or it is missing though backups of it exist.
        StoreNewer, StoreReadOnly, StoreBusy, StoreError: as their names say.
    """
    return SqlLedger(open_file(path, LEDGER, busy=busy, must_exist=bool(list_backups(backups)), read_only=read_only))
