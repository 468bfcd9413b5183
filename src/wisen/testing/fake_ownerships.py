"""Whose files and folders are, in memory, for tests of what stands on the port."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from msgspec import structs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.ownership import Ownership


class MemoryOwnerships:
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        super().__init__()
        self._ownerships: dict[str, Ownership] = {}

    def note_ownership(self, rows: Iterable[Ownership]) -> None:
        """Remember words about files and folders."""
        for row in tuple(rows):
            self._ownerships.setdefault(row.id, structs.replace(row, at=row.at.astimezone(UTC)))

    def ownerships(self, machine: str | None = None) -> tuple[Ownership, ...]:
        """Every word about files and folders of one machine, or of all, oldest first."""
        found = (each for each in self._ownerships.values() if machine in (None, each.machine))
        return tuple(sorted(found, key=lambda each: (each.at, each.id)))
