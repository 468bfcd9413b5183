"""What one pass over a log has found so far: events, troubles, where sessions stand, and what still waits.

A line waits while its other half is not there yet (a call without its result, a queued prompt whose fate is open). The
next pass begins before the oldest line that waits, so that no text has to be kept for it: lines read twice give the
same events, and identity does the rest.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.session_segments import EPOCH, Segment, SessionSegments, to_segments
from wisen.model.event import Call, Event, Outcome, SessionKey, Status
from wisen.model.source import Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PENDING_BYTES = 8 << 20
"""A line that still waits for its other half after this many bytes will not get it."""
_OLDEST, _NEWEST = EPOCH, datetime(2200, 1, 1, tzinfo=UTC)


class OpenCall(NamedTuple):
    """A call whose result was not seen yet."""

    tool: str
    hides_exit: bool
    """Whether its exit code may be hidden."""
    session: SessionKey | None = None
    place: str = ""


class _PendingLine(NamedTuple):
    offset: int
    standings: list[tuple[str, int, datetime, str]]
    otherwise: Event | None


UNKNOWN_CALL = OpenCall("", hides_exit=False)
"""The call of a result whose beginning is not in this log."""


class EventCollector:
    """The state of one pass over one source."""

    def __init__(self, agent: str, segments: Mapping[str, Segment]) -> None:
        self.sessions = SessionSegments(agent, segments)
        self._open: dict[str, OpenCall] = {}
        self._waiting: dict[str, _PendingLine] = {}
        self.events: list[Event] = []
        self.problems: list[Trouble] = []

    def add_call(self, call: Call, offset: int, *, hides_exit: bool) -> None:
        """A call was asked for; its result is awaited."""
        self._open[call.id] = OpenCall(call.tool, hides_exit, call.session, call.place)
        self.wait(call.id, offset)
        self.events.append(call)

    def record_success(self, call: str, at: datetime) -> bool:
        """An open call ended well; its result stands where its call stood. False when more must be known of it."""
        opened = self._open.get(call)
        if opened is None or opened.hides_exit or opened.session is None:
            return False
        if not self.sessions.extend_segment(opened.session.native, at):
            return False
        del self._open[call]
        self._waiting.pop(call, None)
        self.add_outcome(call, opened.session, at, opened.place, Status.OK)
        return True

    def close_call(self, call: str) -> OpenCall:
        """The open call that a result belongs to."""
        self.resolve(call)
        return self._open.pop(call, UNKNOWN_CALL)

    def add_outcome(
        self, call: str, session: SessionKey, at: datetime, place: str, status: Status, text: str | None = None
    ) -> None:
        """A call ended."""
        self.events.append(
            Outcome(id=f"end:{call}", call=call, session=session, at=at, place=place, status=status, text=text)
        )

    def wait(self, key: str, offset: int, otherwise: Event | None = None) -> None:
        """The line at this offset waits for its other half; without it, `otherwise` is what happened."""
        self._waiting[key] = _PendingLine(offset, self.sessions.copy_states(), otherwise)

    def resolve(self, key: str) -> None:
        """The other half came."""
        self._waiting.pop(key, None)

    def add_problem(self, kind: TroubleKind, offset: int, detail: str = "") -> None:
        """Something was passed over."""
        self.problems.append(Trouble(kind=kind, detail=detail[:40], offset=offset))

    def add_parser_error(self, offset: int, error: Exception) -> None:
        """The reader broke on a record, which is passed over."""
        self.add_problem(TroubleKind.MISSHAPEN, offset, f"reader broke: {type(error).__name__}")

    def resume_at(self, offset: int) -> tuple[int, Mapping[str, Segment]]:
        """Where the next pass must begin so that nothing that waits is missed, and the segments as they were there."""
        for key, waiting in list(self._waiting.items()):
            if offset - waiting.offset <= MAX_PENDING_BYTES:
                return waiting.offset, to_segments(waiting.standings)
            self.resolve(key)
            if waiting.otherwise is not None:
                self.events.append(waiting.otherwise)
        return offset, to_segments(self.sessions.copy_states())

    def drain(self) -> tuple[tuple[Event, ...], tuple[Trouble, ...]]:
        """What was found since the last take."""
        found = tuple(self.events), tuple(self.problems)
        self.events, self.problems = [], []
        return found


def parse_time(stamp: str | None) -> datetime | None:
    """An ISO time as agents write it, in UTC where it names no zone; None when it is not one."""
    try:
        at = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return plausible_time(at if at.tzinfo else at.replace(tzinfo=UTC))


def parse_local_time(stamp: str) -> datetime | None:
    """A time as the user's clock showed it, where it names no zone; None when it is not one."""
    try:
        return plausible_time(datetime.fromisoformat(stamp).astimezone(UTC))
    except (ValueError, OverflowError, OSError):
        return None


def plausible_time(at: datetime | None) -> datetime | None:
    """A moment at which an agent can have run; None for the others, such as the zero time of Go, the year 1.

    Reckoning with those would leave the calendar.
    """
    return at if at is not None and _OLDEST <= at <= _NEWEST else None
