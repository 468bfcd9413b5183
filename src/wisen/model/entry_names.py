"""Human-readable names of entries: LRN-YYYYMMDD-XXX."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.model.entry import PREFIXES, EntryType

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime


def entry_name(type_: EntryType, at: datetime, id_: str, taken: Collection[str]) -> str:
    """Return a human-readable name, LRN-YYYYMMDD-XXX, lengthened if it would collide."""
    tail = blake2b(id_.encode(), digest_size=16).hexdigest()
    stem = f"{PREFIXES[type_]}-{at:%Y%m%d}-"
    return next(name for length in range(3, len(tail) + 1) if (name := stem + tail[:length].upper()) not in taken)
