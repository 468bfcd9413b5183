"""One PostgreSQL connection behind the dialect: placeholders, transactions, and every error in our own words.

The address of a server may hold a password; it never stands in a message, nor in an error that a message came from.
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

    from wisen.store.dialect import Row, Value

_LOCK = 0x57495345
"""The number under which wisen's processes take turns at changing the schema."""

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
        parts = _parts(address)
        self.location = _place(parts)
        try:
            # Behind a pooler a prepared statement may meet another server process, which does not know it.
            self._connection: psycopg.Connection[Row] = psycopg.connect(
                address, autocommit=True, prepare_threshold=None
            )
        except psycopg.Error as error:
            # Without its cause: psycopg may quote the address.
            raise StoreError(f"{self.location} cannot be reached: {_without_password(error, parts)}") from None
        try:
            self.run("SELECT set_config('lock_timeout', ?, false)", (f"{max(1, int(busy * 1000))}ms",))
            # Writing returns when it is on disk, whatever the server's habit is.
            self.run("SELECT set_config('synchronous_commit', 'on', false)")
            self._enter(schema)
        except StoreError:
            self.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A short transaction for writing: all of it is on disk behind the block, or nothing."""
        with self._translated(), self._connection.transaction():
            yield

    def run(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """The rows that one statement gives, if any."""
        with self._translated():
            cursor = self._connection.execute(_with_percents(statement), values)
            return [] if cursor.description is None else cursor.fetchall()

    def has_table(self, name: str) -> bool:
        """Whether the table is there."""
        return bool(self.run("SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = ?", (name,)))

    def lock_for_writing(self) -> None:
        """Nobody else changes the schema until the end of the transaction."""
        self.run("SELECT pg_advisory_xact_lock(?::bigint)", (_LOCK,))

    def check(self) -> None:
        """Nothing beyond the seals: the server looks after its own structure."""

    def scrub(self, tables: Sequence[str]) -> None:
        """Write tables anew, without the rows that were deleted; the server's own log and backups are its own."""
        for table in tables:
            self.run(f"VACUUM (FULL) {table}")

    def close(self) -> None:
        """Let go of it."""
        with self._translated():
            self._connection.close()

    def _enter(self, schema: str) -> None:
        # A schema of our own, because a team's database may well have a table named "migrations".
        if not self.run("SELECT 1 FROM pg_namespace WHERE nspname = ?", (schema,)):
            with self.transaction():
                self.lock_for_writing()
                self._connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
        self.run("SELECT set_config('search_path', quote_ident(?), false)", (schema,))

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except psycopg.Error as error:
            raise self._in_our_words(error) from error

    def _in_our_words(self, error: psycopg.Error) -> StoreError:
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
def _with_percents(statement: str) -> bytes:
    return statement.replace("%", "%%").replace("?", "%s").encode()


def _parts(address: str) -> dict[str, str]:
    try:
        parts = conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        # Without its cause and without a quotation: what cannot be parsed may be a password.
        raise StoreError(
            "The address of the ledger's PostgreSQL server is not one. It looks like postgresql://user@host/database."
        ) from None
    return {name: str(value) for name, value in parts.items() if value is not None}


def _place(parts: dict[str, str]) -> str:
    host = parts.get("host") or parts.get("hostaddr") or "localhost"
    port = f":{parts['port']}" if "port" in parts else ""
    return f"PostgreSQL database {parts.get('dbname', 'of the user')} at {host}{port}"


def _without_password(error: psycopg.Error, parts: dict[str, str]) -> str:
    word = str(error).strip()
    for name in ("password", "sslpassword"):
        for shown in {parts.get(name, ""), quote(parts.get(name, ""), safe="")} - {""}:
            word = word.replace(shown, "…")
    return word
