"""Opens the ledger of a team on a PostgreSQL server."""

from __future__ import annotations

from wisen.errors import StoreError
from wisen.store.ledger import SqlLedger
from wisen.store.migrate import migrate


def open_team_ledger(address: str, *, schema: str = "wisen", busy: float = 10.0) -> SqlLedger:
    """Open the ledger on a server, creating its tables if needed. `busy`: how many seconds to wait for locks.

    Raises:
        MissingExtra: psycopg is not installed.
        StoreNewer, StoreDamaged, StoreReadOnly, StoreBusy, StoreError: as their names say.
    """
    from wisen.store.postgres import PostgresDatabase

    db = PostgresDatabase(address, schema=schema, busy=busy)
    try:
        migrate(db, "ledger")
    except StoreError:
        db.close()
        raise
    return SqlLedger(db)
