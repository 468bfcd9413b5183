"""Snapshots of instruction files as `learn` saw them, kept because no repository has their history."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The content of a file on one machine from a moment on."""

    path: str
    machine: str
    at: datetime
    text: str

    @property
    def digest(self) -> str:
        """Return the digest of the text."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
