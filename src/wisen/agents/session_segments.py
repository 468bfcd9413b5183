"""Where the sessions of a log stand: each in segments, of which a new one begins after eight idle hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import SessionKey

if TYPE_CHECKING:
    from collections.abc import Mapping

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
IDLE = timedelta(hours=8)


class Segment(NamedTuple):
    """Where a session stands, as a cursor remembers it."""

    number: int
    last_ms: int
    start: str
    """The directory in which it began."""


class _SegmentState:
    """Where a session stands within this pass."""

    __slots__ = ("key", "last", "number", "start")

    def __init__(self, number: int, last: datetime, start: str, key: SessionKey | None = None) -> None:
        self.number, self.last, self.start, self.key = number, last, start, key


class SessionSegments:
    """Where each session of a log stands, as far as one pass has come."""

    def __init__(self, agent: str, segments: Mapping[str, Segment]) -> None:
        self._agent = agent
        self._states = {
            native: _SegmentState(number, EPOCH + timedelta(milliseconds=last), start)
            for native, (number, last, start) in segments.items()
        }

    def session_at(self, native: str, at: datetime, place: str) -> SessionKey:
        """The session's present segment; a new one begins after eight idle hours."""
        standing = self._states.get(native)
        if standing is None:
            standing = self._states[native] = _SegmentState(0, at, place)
        elif at - standing.last > IDLE:
            standing.number += 1
            standing.key = None
        standing.last = max(standing.last, at)
        if standing.key is None or not standing.start:
            standing.start = standing.start or place
            standing.key = SessionKey(agent=self._agent, native=native, segment=standing.number, start=standing.start)
        return standing.key

    def begin_segment(self, native: str) -> None:
        """The conversation was reset: what follows is another one."""
        standing = self._states[native]
        standing.number += 1
        standing.key = None

    def end_session(self, native: str) -> None:
        """A session is over: nothing of it has to be remembered."""
        self._states.pop(native, None)

    def extend_segment(self, native: str, at: datetime) -> bool:
        """Something more happened in the present segment of a session; False when that was too long ago."""
        standing = self._states[native]
        if at - standing.last > IDLE:
            return False
        standing.last = max(standing.last, at)
        return True

    def copy_states(self) -> list[tuple[str, int, datetime, str]]:
        """Where they all stand, to be remembered."""
        return [(native, each.number, each.last, each.start) for native, each in self._states.items()]


def to_segments(standings: list[tuple[str, int, datetime, str]]) -> dict[str, Segment]:
    """Where sessions stand, as a cursor remembers it."""
    return {
        native: Segment(number, (last - EPOCH) // timedelta(milliseconds=1), start)
        for native, number, last, start in standings
    }
