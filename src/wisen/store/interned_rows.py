"""Interns rows of the index: finds or inserts a row by its values, and returns its integer key."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase


def find_or_add_number(db: SqliteDatabase, table: str, values: Mapping[str, Value]) -> int:
    """Return the number of the row with these values, which is added if there is none."""
    return find_number(db, table, values) or add_numbered(db, table, values)


def find_number(db: SqliteDatabase, table: str, values: Mapping[str, Value]) -> int | None:
    """Return the number of the row with these values."""
    fits = " AND ".join(f"{name} = ?" for name in values)
    rows = db.run(f"SELECT number FROM {table} WHERE {fits}", tuple(values.values()))  # noqa: S608 - constant names
    return db.as_int(rows[0][0]) if rows else None


def add_numbered(db: SqliteDatabase, table: str, values: Mapping[str, Value]) -> int:
    """Add a row and return its number."""
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    statement = f"INSERT INTO {table} ({names}) VALUES ({marks}) RETURNING number"  # noqa: S608 - constant names
    return db.query_int(statement, tuple(values.values()))
