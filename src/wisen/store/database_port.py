"""The database port: what the ledger's SQL needs from a database.

Statements are written once, with `?` for values, in the SQL that SQLite and PostgreSQL share. Implementations translate
placeholders and errors, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

Value: TypeAlias = str | int | float | None
Row: TypeAlias = "tuple[Value, ...]"

REPAIR = "Run `wisen doctor --repair`."
"""The next step for a damaged file."""


class Database(Protocol):
    """One connection. All its exceptions are StoreErrors."""

    remedy: str
    """The next step if it is damaged."""
    bytewise: str
    """The collation that sorts text by its bytes."""

    @property
    def location(self) -> str:
        """Return where it is, for a person; never with a password."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Run a short write transaction: after the block everything is on disk, or nothing."""
        ...

    def run(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """Run a statement and return its rows, if any."""
        ...

    @property
    def change_token(self) -> object | None:
        """Return a value that is the same only if nothing has changed; None if that is unknown, or in a transaction."""
        ...

    def has_table(self, name: str) -> bool:
        """Return whether the table exists."""
        ...

    def lock_for_writing(self) -> None:
        """In a transaction: lock the schema until its end, and mark the database as ours."""
        ...

    def check(self) -> None:
        """Check the structure. Raises: StoreDamaged."""
        ...

    def scrub(self, tables: Sequence[str]) -> None:
        """Outside of a transaction: leave no byte of rows deleted from these tables. Raises: StoreBusy."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...
