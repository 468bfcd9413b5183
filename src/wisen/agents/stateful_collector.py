"""An event collector with parser state: small facts that a log states once and that hold from there on.

Every pending line keeps the state before it, so that the next pass resumes as if it had read everything before. The
state holds names, numbers and digests, never text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.agents.event_collector import EventCollector

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.agents.session_segments import Segment
    from wisen.model.event import Event


class StatefulCollector(EventCollector):
    """The collector of one pass over a log whose lines depend on earlier ones."""

    def __init__(self, agent: str, segments: Mapping[str, Segment], state: Mapping[str, str]) -> None:
        super().__init__(agent, segments)
        self.state = dict(state)
        """The current state."""
        self.resume_state: Mapping[str, str] = self.state
        """The state where the next pass begins, as of the last `resume_at`."""
        self._before = dict(state)
        self._line = -1
        self._snapshots: dict[int, dict[str, str]] = {}

    def begin_line(self, offset: int) -> None:
        """Begin the line at this offset; its records follow."""
        if offset != self._line:
            self._line, self._before = offset, dict(self.state)

    def wait(self, key: str, offset: int, otherwise: Event | None = None) -> None:
        """Keep the line at this offset pending until its counterpart arrives."""
        super().wait(key, offset, otherwise)
        self._snapshots.setdefault(offset, self._before)

    def resume_at(self, offset: int) -> tuple[int, Mapping[str, Segment]]:
        """Return where the next pass must begin, and the segments at that point."""
        begin, segments = super().resume_at(offset)
        self._snapshots = {at: state for at, state in self._snapshots.items() if at >= begin}
        self.resume_state = self._snapshots.get(begin, self.state)
        return begin, segments

    def increment(self, counter: str) -> int:
        """Increment a counter of the state and return its new value."""
        number = int(self.state.get(counter, "0")) + 1
        self.state[counter] = str(number)
        return number
