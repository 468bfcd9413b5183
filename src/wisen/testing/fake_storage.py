"""The storage of an index in memory, which has no file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.errors import StoreDamaged


class NoIndexFile:
    """The storage of an index in memory, which cannot be damaged."""

    file = None
    stamp = None

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Return None: memory is never damaged."""
        return None

    def check(self) -> None:
        """Do nothing: memory is never damaged."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
