"""Collects what one pass over a log finds: events, problems, session segments, and pending lines.

A line is pending while its counterpart is missing (a call without its result, a queued prompt that was not sent yet).
The next pass begins before the oldest pending line, so that no text has to be stored for it: lines that are read twice
give the same events, which are deduped by id.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.session_segments import Segment, SessionSegments, to_segments
from wisen.model.event import Call, Event, Outcome, SessionKey, Status
from wisen.model.plausible_time import plausible_time
from wisen.model.source import ReadProblem, ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PENDING_BYTES = 8 << 20
"""A line that is still pending after this many bytes will not get its counterpart."""


class OpenCall(NamedTuple):
    """A call whose result was not read yet."""

    tool: str
    hides_exit: bool
    """Whether its command can hide a failing exit code."""
    session: SessionKey | None = None
    place: str = ""


class _PendingLine(NamedTuple):
    offset: int
    states: list[tuple[str, int, datetime, str]]
    otherwise: Event | None


UNKNOWN_CALL = OpenCall("", hides_exit=False)
"""Placeholder for the call of a result if the call is not in this log."""


class EventCollector:
    """The events, problems and pending lines of one pass over one source."""

    def __init__(self, agent: str, segments: Mapping[str, Segment]) -> None:
        self.sessions = SessionSegments(agent, segments)
        self._open: dict[str, OpenCall] = {}
        self._pending: dict[str, _PendingLine] = {}
        self.events: list[Event] = []
        self.problems: list[ReadProblem] = []

    def add_call(self, call: Call, offset: int, *, hides_exit: bool) -> None:
        """Add a call, and wait for its result."""
        self._open[call.id] = OpenCall(call.tool, hides_exit, call.session, call.place)
        self.wait(call.id, offset)
        self.events.append(call)

    def record_success(self, call: str, at: datetime) -> bool:
        """Add the success of an open call, in the session and place of the call. False if its result must be parsed."""
        open_call = self._open.get(call)
        if open_call is None or open_call.hides_exit or open_call.session is None:
            return False
        if not self.sessions.extend_segment(open_call.session.native, at):
            return False
        del self._open[call]
        self._pending.pop(call, None)
        self.add_outcome(call, open_call.session, at, open_call.place, Status.OK)
        return True

    def close_call(self, call: str) -> OpenCall:
        """Remove and return the open call that a result belongs to."""
        self.resolve(call)
        return self._open.pop(call, UNKNOWN_CALL)

    def add_outcome(
        self, call: str, session: SessionKey, at: datetime, place: str, status: Status, text: str | None = None
    ) -> None:
        """Add the outcome of a call."""
        self.events.append(
            Outcome(id=f"end:{call}", call=call, session=session, at=at, place=place, status=status, text=text)
        )

    def wait(self, key: str, offset: int, otherwise: Event | None = None) -> None:
        """Keep the line at this offset pending; if its counterpart never arrives, add `otherwise`."""
        self._pending[key] = _PendingLine(offset, self.sessions.copy_states(), otherwise)

    def resolve(self, key: str) -> None:
        """Mark a pending line as done: its counterpart arrived."""
        self._pending.pop(key, None)

    def add_problem(self, kind: ReadProblemKind, offset: int, detail: str = "") -> None:
        """Report something that was skipped."""
        self.problems.append(ReadProblem(kind=kind, detail=detail[:40], offset=offset))

    def add_parser_error(self, offset: int, error: Exception) -> None:
        """Report a record that is skipped because parsing it raised an error."""
        self.add_problem(ReadProblemKind.MISSHAPEN, offset, f"reader broke: {type(error).__name__}")

    def resume_at(self, offset: int) -> tuple[int, Mapping[str, Segment]]:
        """Return where the next pass must begin so that no pending line is missed, and the segments at that point."""
        for key, pending in list(self._pending.items()):
            if offset - pending.offset <= MAX_PENDING_BYTES:
                return pending.offset, to_segments(pending.states)
            self.resolve(key)
            if pending.otherwise is not None:
                self.events.append(pending.otherwise)
        return offset, to_segments(self.sessions.copy_states())

    def drain(self) -> tuple[tuple[Event, ...], tuple[ReadProblem, ...]]:
        """Return and remove the events and problems collected so far."""
        collected = tuple(self.events), tuple(self.problems)
        self.events, self.problems = [], []
        return collected


def parse_time(stamp: str | None) -> datetime | None:
    """Parse an ISO time, in UTC if it names no zone; None if it is invalid."""
    try:
        at = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return plausible_time(at if at.tzinfo else at.replace(tzinfo=UTC))


def parse_local_time(stamp: str) -> datetime | None:
    """Parse an ISO time, in the local zone if it names none; None if it is invalid."""
    try:
        return plausible_time(datetime.fromisoformat(stamp).astimezone(UTC))
    except (ValueError, OverflowError, OSError):
        return None
