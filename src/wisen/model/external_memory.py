"""Notebooks: files in which other systems keep what they remember."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class ExternalMemoryFile(NamedTuple):
    """One file, as it is now."""

    agent: str
    path: str
    text: str
    modified: datetime
    context: str = ""
    """The key of the context whose it is; empty for everywhere."""
