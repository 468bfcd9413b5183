"""A collector that also knows how things stand: small facts that a log tells once and that count from there on.

Every line that waits remembers how things stood before it, so that the next pass goes on as if it had read all that
lies before. What is remembered is names, numbers and digests, never text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.agents.event_collector import EventCollector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.agents.session_segments import Segment
    from wisen.model.event import Event


class StatefulCollector(EventCollector):
    """The state of one pass over one log whose lines do not tell everything themselves."""

    def __init__(self, agent: str, segments: Mapping[str, Segment], state: Mapping[str, str]) -> None:
        super().__init__(agent, segments)
        self.state = dict(state)
        """How things stand now."""
        self.resume_state: Mapping[str, str] = self.state
        """How they stood where the next pass begins, as of the last `resume_at`."""
        self._before = dict(state)
        self._line = -1
        self._snapshots: dict[int, dict[str, str]] = {}

    def begin_line(self, offset: int) -> None:
        """A record of the line at this offset comes next."""
        if offset != self._line:
            self._line, self._before = offset, dict(self.state)

    def wait(self, key: str, offset: int, otherwise: Event | None = None) -> None:
        """The line at this offset waits for its other half."""
        super().wait(key, offset, otherwise)
        self._snapshots.setdefault(offset, self._before)

    def resume_at(self, offset: int) -> tuple[int, Mapping[str, Segment]]:
        """Where the next pass must begin, and the segments as they were there."""
        begin, segments = super().resume_at(offset)
        self._snapshots = {at: state for at, state in self._snapshots.items() if at >= begin}
        self.resume_state = self._snapshots.get(begin, self.state)
        return begin, segments

    def increment(self, what: str) -> int:
        """One more of something; returns how many there are now."""
        number = int(self.state.get(what, "0")) + 1
        self.state[what] = str(number)
        return number
