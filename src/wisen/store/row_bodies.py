"""Encodes entries, proposals and guards as the JSON in the ledger's column `body`."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from wisen.model.backtest import Backtest
from wisen.model.directive import Trigger
from wisen.model.entry import Entry, Proposal
from wisen.model.guard import Guard
from wisen.store.escapes import escape, unescape
from wisen.store.sealed_rows import as_text

if TYPE_CHECKING:
    from wisen.store.database_port import Value

_ESCAPE_IN_JSON = msgspec.json.encode(escape("\x00")[0])[1:-1].decode()
"""What escaped characters begin with, inside JSON: nearly no body has any."""
_Bodied = TypeVar("_Bodied", Entry, Proposal, Guard)


def body_of(value: Entry | Proposal | Guard) -> str:
    """Encode a value as JSON, with characters escaped that a database cannot hold."""
    fields = {name: _map_texts(getattr(value, name), escape) for name in value.__struct_fields__}
    return msgspec.json.encode(fields | {"at": value.at.astimezone(UTC)}).decode()


def read_body(row: dict[str, Value], kind: type[_Bodied]) -> _Bodied:
    """Decode the value of a row."""
    body = as_text(row["body"])
    value = msgspec.json.decode(body, type=kind)
    if _ESCAPE_IN_JSON not in body:
        return value
    fields = {name: _map_texts(getattr(value, name), unescape) for name in value.__struct_fields__}
    return kind(**fields)


def _map_texts(value: Any, convert: Any) -> Any:
    """Apply a function to all texts of a value."""
    if type(value) is str:
        return convert(value)
    if isinstance(value, (Backtest, Trigger)):
        fields = {name: _map_texts(getattr(value, name), convert) for name in value.__struct_fields__}
        return type(value)(**fields)
    return tuple(_map_texts(each, convert) for each in value) if isinstance(value, tuple) else value
