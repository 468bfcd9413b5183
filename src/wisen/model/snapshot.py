"""Snapshots: what an instruction file held when `learn` saw it, kept because no repository remembers it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a file of one machine held from a moment on."""

    path: str
    machine: str
    at: datetime
    text: str

    @property
    def digest(self) -> str:
        """Two texts are the same where these are."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
