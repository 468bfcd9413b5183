"""The thin dialect: what the ledger's statements need of a database, whichever it is.

Statements are written once, with `?` for values, in the SQL that SQLite and PostgreSQL share. Whoever implements this
translates placeholders and errors, and nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

Value: TypeAlias = str | int | float | None
Row: TypeAlias = "tuple[Value, ...]"

REPAIR = "Run `wisen doctor --repair`."
"""The next step for a file that is damaged."""


class Database(Protocol):
    """One connection. Everything it raises is a StoreError."""

    remedy: str
    """The next step when it is damaged."""
    bytewise: str
    """The collation that orders text by its bytes."""

    @property
    def location(self) -> str:
        """Where it is, for a person; never with a password."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """A short transaction for writing: all of it is on disk behind the block, or nothing."""
        ...

    def run(self, statement: str, values: Sequence[Value] = ()) -> list[Row]:
        """The rows that one statement gives, if any."""
        ...

    def has_table(self, name: str) -> bool:
        """Whether the table is there."""
        ...

    def lock_for_writing(self) -> None:
        """Inside a transaction: nobody else changes the schema until its end, and the database is signed as ours."""
        ...

    def check(self) -> None:
        """Look the structure over. Raises: StoreDamaged."""
        ...

    def scrub(self, tables: Sequence[str]) -> None:
        """Outside of a transaction: leave no byte of rows that were deleted from these tables. Raises: StoreBusy."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...
