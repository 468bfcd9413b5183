"""Snapshots of instruction files as `learn` saw them, kept because no repository has their history."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime


class Snapshot(Struct, frozen=True, kw_only=True):
    """The content of a file on one machine from a moment on."""

    path: str
    machine: str
    at: datetime
    text: str

    @property
    def digest(self) -> str:
        """Return the digest of the text."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
