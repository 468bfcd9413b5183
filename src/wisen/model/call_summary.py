"""What a session called and which calls failed, in a form that is stored once and searched for words."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the types of a NamedTuple's fields
from typing import NamedTuple

from wisen.model.failure import Signature  # noqa: TC001 - as above


class FailedCall(NamedTuple):
    """A call that failed, and not only for a moment."""

    signature: Signature
    call: str
    """The agent's id of the call."""
    place: int
    """Which of the session's distinct calls it was."""


class CallSummary(NamedTuple):
    """The calls of one session."""

    started: datetime | None
    """When the first call was made; None where nothing was called."""
    ended: datetime | None
    calls: str = ""
    """The words of each distinct call, encoded by `mining/call_words.py`."""
    failures: tuple[FailedCall, ...] = ()


class CalledSession(NamedTuple):
    """A session with calls, by its number in the index; its calls are looked up separately."""

    session: int
    started: datetime
    ended: datetime
    failures: tuple[FailedCall, ...]
