"""A PostgreSQL connection behind the database port: placeholders, transactions, and translated errors.

The address of a server may hold a password; it is never part of a message, nor of the cause of an error.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote

from wisen.errors import MissingExtra, StoreBusy, StoreDamaged, StoreError, StoreReadOnly

try:
    import psycopg
    from psycopg import conninfo, errors, sql
except ImportError as missing:
    raise MissingExtra(
        "A ledger on PostgreSQL needs psycopg, which is not installed: `pip install 'wisen[postgres]'`."
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.store.database_port import Row, Value

_LOCK = 0x57495345
"""The advisory lock under which wisen processes change the schema."""

_BUSY = (
    errors.LockNotAvailable,
    errors.QueryCanceled,
    errors.DeadlockDetected,
    errors.SerializationFailure,
    errors.TooManyConnections,
)
_READ_ONLY = (errors.ReadOnlySqlTransaction, errors.InsufficientPrivilege)
_DAMAGED = (
    errors.DataCorrupted,
    errors.IndexCorrupted,
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.CharacterNotInRepertoire,
)


class PostgresDatabase:
    """A connection to one schema of one database."""

    bytewise = '"C"'
    remedy = "Restore it from the server's own backup."

    def __init__(self, address: str, *, schema: str, busy: float) -> None:
        """Connect. Raises: StoreError, StoreBusy, StoreReadOnly."""
        parts = _parse_address(address)
        self.location = _describe_location(parts)
        try:
            # Behind a connection pooler a prepared statement may reach another server process, which does not know it.
            self._connection: psycopg.Connection[Row] = psycopg.connect(
                address, autocommit=True, prepare_threshold=None
            )
        except psycopg.Error as error:
            # Without its cause: psycopg may quote the address.
            raise StoreError(f"{self.location} cannot be reached: {_without_password(error, parts)}") from None
        try:
            self.run("SELECT set_config('lock_timeout', ?, false)", (f"{max(1, int(busy * 1000))}ms",))
            # Writes return once they are on disk, whatever the server's default is.
            self.run("SELECT set_config('synchronous_commit', 'on', false)")
            self._use_schema(schema)
        except StoreError:
            self.close()
            raise

    @property
    def change_token(self) -> object | None:
        """Return None: a server does not say whether others changed something."""
        return None

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a short write transaction: after the block everything is on disk, or nothing."""
        with self._translate_errors(), self._connection.transaction():
            yield

    def run(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run a statement and return its rows, if any."""
        with self._translate_errors():
            cursor = self._connection.execute(_to_percent_style(statement), values)
            return [] if cursor.description is None else cursor.fetchall()

    def has_table(self, name: str) -> bool:
        """Return whether the table exists."""
        return bool(self.run("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?", (name,)))

    def lock_for_writing(self) -> None:
        """Lock the schema until the end of the transaction."""
        self.run("SELECT pg_advisory_xact_lock(?::bigint)", (_LOCK,))

    def check(self) -> None:
        """Nothing beyond the seals: the server checks its own structure."""

    def scrub(self, tables: Sequence[str]) -> None:
        """Rewrite tables without their deleted rows; the server's log and backups are its own business."""
        for table in tables:
            self.run(f"VACUUM (FULL) {table}")

    def close(self) -> None:
        """Close the connection."""
        with self._translate_errors():
            self._connection.close()

    def _use_schema(self, schema: str) -> None:
        # A schema of our own, because a team's database may well have a table named "migrations".
        if not self.run("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)):
            with self.transaction():
                self.lock_for_writing()
                self._connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        self.run("SELECT set_config('search_path', quote_ident(?), false)", (schema,))

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._store_error(error) from error

    def _store_error(self, error: psycopg.Error) -> StoreError:
        # The primary message names tables and columns; only its details quote rows.
        word = (error.diag.message_primary or str(error) or type(error).__name__).strip()
        if isinstance(error, _BUSY):
            return StoreBusy(f"{self.location} is busy: {word}. Run this again in a moment.")
        if isinstance(error, _READ_ONLY):
            return StoreReadOnly(f"{self.location} cannot be written: {word}. Ask for the right to write there.")
        if isinstance(error, _DAMAGED):
            return StoreDamaged(f"{self.location} is damaged: {word}. {self.remedy}")
        return StoreError(f"{self.location}: {word}.")


@lru_cache(maxsize=128)
def _to_percent_style(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()


def _parse_address(address: str) -> dict[str, str]:
    try:
        parts = conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        # Without its cause and without a quotation: what cannot be parsed may be a password.
        raise StoreError(
            "The address of the ledger's PostgreSQL server is not one. It looks like postgresql://user@host/database."
        ) from None
    return {name: str(value) for name, value in parts.items() if value is not None}


def _describe_location(parts: dict[str, str]) -> str:
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if "port" in parts else ""
    return f"PostgreSQL database {parts.get('dbname', 'of the user')} at {host}{port}"


def _without_password(error: psycopg.Error, parts: dict[str, str]) -> str:
    word = str(error).strip()
    for name in ("password", "sslpassword"):
        for shown in {parts.get(name, ""), quote(parts.get(name, ""), safe="")} - {""}:
            word = word.replace(shown, "…")
    return word
