"""An id of a lesson that an assistant mentioned: in which session, and when last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from datetime import datetime


class CitedId(NamedTuple):
    """An id in our format that was mentioned in one session."""

    name: str
    """`R-…`, or the name of an entry."""
    agent: str
    native: str
    """The agent's own id of the session."""
    contexts: frozenset[str]
    """The keys of the contexts in which the session worked."""
    last: datetime
