"""Entries, proposals and guards as the JSON that stands in the ledger's column `body`."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from wisen.model.backtest import Backtest
from wisen.model.directive import Trigger
from wisen.model.entry import Entry, Proposal
from wisen.model.guard import Guard
from wisen.store.escapes import pack, unpack
from wisen.store.seals import as_text

if TYPE_CHECKING:
    from wisen.store.dialect import Value

_Bodied = TypeVar("_Bodied", Entry, Proposal, Guard)


def body_of(value: Entry | Proposal | Guard) -> str:
    """The value as JSON, in which not any character may stand."""
    named = {name: _turned(getattr(value, name), pack) for name in value.__struct_fields__}
    return msgspec.json.encode(named | {"at": value.at.astimezone(UTC)}).decode()


def read_body(row: dict[str, Value], kind: type[_Bodied]) -> _Bodied:
    """The value that a row holds."""
    value = msgspec.json.decode(as_text(row["body"]), type=kind)
    named = {name: _turned(getattr(value, name), unpack) for name in value.__struct_fields__}
    return kind(**named)


def _turned(value: Any, turned: Any) -> Any:
    """A value with its texts packed or unpacked."""
    if type(value) is str:
        return turned(value)
    if isinstance(value, (Backtest, Trigger)):
        named = {name: _turned(getattr(value, name), turned) for name in value.__struct_fields__}
        return type(value)(**named)
    return tuple(_turned(each, turned) for each in value) if isinstance(value, tuple) else value
