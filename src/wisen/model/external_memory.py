"""Memory files that other systems keep, as they are imported for recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class ExternalMemoryFile(NamedTuple):
    """One memory file with its current content."""

    agent: str
    path: str
    text: str
    modified: datetime
    context: str = ""
    """The key of the context it belongs to; empty for all."""
    is_skill: bool = False
    """Whether it is a skill: its text is then the name and description."""
