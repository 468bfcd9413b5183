"""Seals: the one place where a row of the ledger gets its digest and where the digest is verified.

A database notices when its structure is damaged, not when a byte inside a text was flipped. The seal does. Values that
are absent stay out of it, so that a later migration may add a column without touching old rows.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from wisen.errors import StoreDamaged
from wisen.store.escapes import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.store.dialect import Database, Row, Value

MILLIONTHS = 1_000_000
"""Chances and weights are kept in millionths: a seal is made of whole numbers and texts."""


@dataclass(frozen=True, slots=True)
class Table:
    """A sealed table: its name and its columns, without the seal."""

    name: str
    columns: tuple[str, ...]


def add_row(db: Database, table: Table, values: Mapping[str, Value]) -> None:
    """Seal a row and insert it; a row with the same identity stays as it is."""
    packed = tuple(pack(value) if isinstance(value, str) else value for value in map(values.__getitem__, table.columns))
    names = ", ".join((*table.columns, "seal"))
    marks = ", ".join("?" * (len(packed) + 1))
    statement = f"INSERT INTO {table.name} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608 - names are ours
    db.run(statement, (*packed, _seal(table, packed)))


def read_rows(db: Database, table: Table, rest: str = "", values: Row = ()) -> Iterator[dict[str, Value]]:
    """The rows that fit `rest` (WHERE, ORDER BY …), each verified. Raises: StoreDamaged."""
    names = ", ".join((*table.columns, "seal"))
    for row in db.run(f"SELECT {names} FROM {table.name} {rest}", values):  # noqa: S608 - names are ours
        yield _opened(db, table, row)


def _opened(db: Database, table: Table, row: Row) -> dict[str, Value]:
    *packed, seal = row
    # A garbled row may come back as bytes or as a fraction, which no seal was ever made of.
    if not all(value is None or type(value) in (str, int) for value in packed) or seal != _seal(table, tuple(packed)):
        raise StoreDamaged(f"{db.location}: a row of the table {table.name} is not as it was written. {db.remedy}")
    values = (unpack(value) if isinstance(value, str) else value for value in packed)
    return dict(zip(table.columns, values, strict=True))


def _seal(table: Table, packed: Row) -> str:
    present = {name: value for name, value in zip(table.columns, packed, strict=True) if value is not None}
    canonical = json.dumps([table.name, present], sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(canonical.encode(), digest_size=8).hexdigest()


def as_text(value: Value) -> str:
    """A value of a row that was read, which is a text."""
    # The seal was made of what we wrote, so the type is as certain as the value.
    return cast("str", value)


def as_int(value: Value) -> int:
    """A value of a row that was read, which is a whole number."""
    return cast("int", value)


def as_optional_text(value: Value) -> str | None:
    """A value of a row that was read, which is a text where it is there."""
    return cast("str | None", value)
