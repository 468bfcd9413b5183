"""Seals ledger rows with a digest and verifies it: the only place that does either.

A database notices damage to its structure, but not a flipped byte inside a text. The seal does. NULL values are not
part of it, so that a later migration may add a column without touching old rows.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from msgspec import Struct

from wisen.errors import StoreDamaged
from wisen.store.escapes import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from wisen.store.database_port import Database, Row, Value

_Decoded = TypeVar("_Decoded")
_SEALED_TYPES = frozenset({str, int, type(None)})
MILLIONTHS = 1_000_000
"""Probabilities and weights are stored in millionths: seals cover only integers and texts."""


class Table(Struct, frozen=True):
    """A sealed table: its name and its columns, without the seal."""

    name: str
    columns: tuple[str, ...]


def add_row(db: Database, table: Table, values: Mapping[str, Value]) -> None:
    """Seal a row and insert it; an existing row with the same identity is kept."""
    packed = tuple(
        escape(value) if isinstance(value, str) else value for value in map(values.__getitem__, table.columns)
    )
    names = ", ".join((*table.columns, "seal"))
    marks = ", ".join("?" * (len(packed) + 1))
    statement = f"INSERT INTO {table.name} ({names}) VALUES ({marks}) ON CONFLICT DO NOTHING"  # noqa: S608 - constant names
    db.run(statement, (*packed, _seal(table, packed)))


def read_rows(db: Database, table: Table, rest: str = "", values: Row = ()) -> Iterator[dict[str, Value]]:
    """Yield the rows selected by `rest` (WHERE, ORDER BY …), each verified. Raises: StoreDamaged."""
    names = ", ".join((*table.columns, "seal"))
    for row in db.run(f"SELECT {names} FROM {table.name} {rest}", values):  # noqa: S608 - constant names
        yield _verify_row(db, table, row)


class DecodedRows(Generic[_Decoded]):
    """The rows of a whole table as they were last read: those that are still the same are not decoded again."""

    def __init__(self, db: Database, table: Table, decode: Callable[[dict[str, Value]], _Decoded]) -> None:
        self._db, self._table, self._decode = db, table, decode
        self._rows: dict[Row, _Decoded] = {}

    def read(self, order: str) -> tuple[_Decoded, ...]:
        """Return every row, in an order; each was verified when it was first read. Raises: StoreDamaged."""
        names = ", ".join((*self._table.columns, "seal"))
        before = self._rows
        now: dict[Row, _Decoded] = {}
        for row in self._db.run(f"SELECT {names} FROM {self._table.name} {order}"):  # noqa: S608 - constant names
            known = before.get(row)
            now[row] = self._decode(_verify_row(self._db, self._table, row)) if known is None else known
        self._rows = now
        return tuple(now.values())


def _verify_row(db: Database, table: Table, row: Row) -> dict[str, Value]:
    values = unseal(table, row)
    if values is None:
        raise StoreDamaged(f"{db.location}: a row of the table {table.name} is not as it was written. {db.remedy}")
    return values


def unseal(table: Table, row: Row) -> dict[str, Value] | None:
    """Return the values of a row whose last value is its seal; None if it is not as it was written."""
    packed = row[:-1]
    # A garbled row may come back as bytes or as a float, which no seal ever covers.
    if not _SEALED_TYPES.issuperset(map(type, packed)) or row[-1] != _seal(table, packed):
        return None
    return {
        name: unescape(value) if isinstance(value, str) else value
        for name, value in zip(table.columns, packed, strict=True)
    }


def _seal(table: Table, packed: Row) -> str:
    """Return the digest of `json.dumps([name, {column: value}], sort_keys=True)`, made faster."""
    values = [
        name + (encode_basestring_ascii(value) if isinstance(value, str) else f"{value:d}")
        for place, name in _sorted_columns(table)
        if (value := packed[place]) is not None
    ]
    canonical = f'["{table.name}",{{{",".join(values)}}}]'
    return blake2b(canonical.encode(), digest_size=8).hexdigest()


@cache
def _sorted_columns(table: Table) -> tuple[tuple[int, str], ...]:
    """Return the columns by name, each with its place in a row, as the key of a JSON object."""
    places = {name: place for place, name in enumerate(table.columns)}
    return tuple((places[name], f"{json.dumps(name)}:") for name in sorted(places))


def as_text(value: Value) -> str:
    """Return a value of a verified row that is a text."""
    # The seal covers what we wrote, so the type is as certain as the value.
    return cast("str", value)


def as_int(value: Value) -> int:
    """Return a value of a verified row that is an integer."""
    return cast("int", value)


def as_optional_text(value: Value) -> str | None:
    """Return a value of a verified row that is a text or NULL."""
    return cast("str | None", value)
