"""What tells whether a person is in front of a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from wisen.model.presence import Voice


class Presence(Protocol):
    """Tells whether a person decides here and now."""

    def look(self) -> Voice:
        """A person with the evidence of it, or the reason why there is none. It never fails."""
        ...
