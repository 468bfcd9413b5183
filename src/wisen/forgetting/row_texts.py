"""The names and the texts of ledger rows, as forgetting sees them."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.model.change import Change, ChangeCheck
from wisen.model.context import Alias, Context
from wisen.model.entry import Entry, Move, Occurrence, Proposal
from wisen.model.exposure import Exposure
from wisen.model.guard import Guard
from wisen.model.learning import Record
from wisen.model.ownership import Ownership
from wisen.model.phrase import PhraseProof, PhraseSearch, UserPhrase
from wisen.model.reinforcement import Reinforcement
from wisen.model.run import Run
from wisen.model.snapshot import Snapshot
from wisen.model.trial import TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.ledger_removal import Row

_IDENTIFYING_FIELDS = frozenset(
    "id name machine context at path place session agent message entry subject change undoes failure tried tool "
    "before after head heading area version withheld phrase".split()
)
"""Fields of rows that identify, date and locate them; they are not searched."""

ROW_KINDS: dict[type, str] = {
    Entry: "entry",
    Occurrence: "occurrence",
    Move: "move",
    Proposal: "proposal",
    Guard: "guard",
    Change: "change",
    ChangeCheck: "look",
    Run: "run",
    Exposure: "exposure",
    TrialOutcome: "outcome",
    Reinforcement: "reinforcement",
    Ownership: "ownership",
    Alias: "alias",
    Context: "context",
    Record: "record",
    PhraseProof: "proof",
    UserPhrase: "ownphrase",
    PhraseSearch: "search",
}
"""The kind of each row, as stored in tombstones and shown to users; independent of class names."""


def thing_of(row: Row) -> str:
    """Return the name of a row: its kind and id."""
    if isinstance(row, Snapshot):
        return f"snapshot:{row.machine} {row.path} {row.at.timestamp()} {row.digest}"
    name = getattr(row, "id", None) or getattr(row, "key", None) or f"{getattr(row, 'context', '')} {row}"
    return f"{ROW_KINDS[type(row)]}:{name}"


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a value, without identifying fields."""
    if isinstance(value, Enum):
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, tuple):
        for each in value:
            yield from texts_in(each)
    elif isinstance(value, Struct) or is_dataclass(value):
        names = value.__struct_fields__ if isinstance(value, Struct) else [each.name for each in fields(value)]
        for name in names:
            if name not in _IDENTIFYING_FIELDS:
                yield from texts_in(getattr(value, name))
