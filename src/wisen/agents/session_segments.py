"""Splits the sessions of a log into segments: a new one begins after eight idle hours."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import SessionKey

if TYPE_CHECKING:
    from collections.abc import Mapping

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
IDLE = timedelta(hours=8)


class Segment(NamedTuple):
    """The current segment of a session, as stored in a cursor."""

    number: int
    last_ms: int
    start: str
    """The directory in which the session began."""


class _SegmentState:
    """The current segment of a session during a pass."""

    __slots__ = ("key", "last", "number", "start")

    def __init__(self, number: int, last: datetime, start: str, key: SessionKey | None = None) -> None:
        self.number, self.last, self.start, self.key = number, last, start, key


class SessionSegments:
    """The current segment of each session of a log during one pass."""

    def __init__(self, agent: str, segments: Mapping[str, Segment]) -> None:
        self._agent = agent
        self._states = {
            native: _SegmentState(number, EPOCH + timedelta(milliseconds=last), start)
            for native, (number, last, start) in segments.items()
        }

    def session_at(self, native: str, at: datetime, place: str) -> SessionKey:
        """Return the key of the session's current segment; a new one begins after eight idle hours."""
        state = self._states.get(native)
        if state is None:
            state = self._states[native] = _SegmentState(0, at, place)
        elif at - state.last > IDLE:
            state.number += 1
            state.key = None
        state.last = max(state.last, at)
        if state.key is None or not state.start:
            state.start = state.start or place
            state.key = SessionKey(agent=self._agent, native=native, segment=state.number, start=state.start)
        return state.key

    def begin_segment(self, native: str) -> None:
        """Begin a new segment, because the conversation was reset."""
        state = self._states[native]
        state.number += 1
        state.key = None

    def end_session(self, native: str) -> None:
        """Drop a session that is over."""
        self._states.pop(native, None)

    def extend_segment(self, native: str, at: datetime) -> bool:
        """Extend the current segment of a session to this time; False if the segment was idle for too long."""
        state = self._states[native]
        if at - state.last > IDLE:
            return False
        state.last = max(state.last, at)
        return True

    def copy_states(self) -> list[tuple[str, int, datetime, str]]:
        """Return a copy of the current state of all sessions."""
        return [(native, each.number, each.last, each.start) for native, each in self._states.items()]


def to_segments(states: list[tuple[str, int, datetime, str]]) -> dict[str, Segment]:
    """Convert copied states to segments for a cursor."""
    return {
        native: Segment(number, (last - EPOCH) // timedelta(milliseconds=1), start)
        for native, number, last, start in states
    }
