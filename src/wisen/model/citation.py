"""A lesson that an assistant named by its id: where, and when last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class CitedId(NamedTuple):
    """An id that looks like one of ours, in one session."""

    name: str
    """`R-…`, or the name of an entry."""
    agent: str
    native: str
    """The agent's own id of the session."""
    contexts: frozenset[str]
    """The keys of the contexts that the session worked in."""
    last: datetime
