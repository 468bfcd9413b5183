"""The only module that generates ids: ULIDs, which sort by creation time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.system.machine_ports import Clock

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Ulids:
    """Time in milliseconds, then 80 random bits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def new(self) -> str:
        """Return an id that no machine has generated before and that sorts by time."""
        milliseconds = int(self._clock.now().timestamp() * 1000)
        number = (milliseconds << 80) | int.from_bytes(os.urandom(10), "big")
        return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))
