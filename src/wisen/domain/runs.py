"""A run: one turn of the loop as the ledger remembers it. It is how we know whether learning has stopped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One turn of the loop, written once when it ended."""

    id: str
    machine: str
    started: datetime
    finished: datetime
    version: str
    """The version of wisen that ran."""
    sources: int
    read_bytes: int
    new_events: int
    withheld: int
    troubles: int
    error: str | None = None
    """What stopped it, for a person; None when it went through."""
