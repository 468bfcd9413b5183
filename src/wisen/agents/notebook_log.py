"""What one pass over a log has found so far: events, troubles, sessions with their segments, and what still waits.

A line waits while its other half is not there yet (a call without its result, a queued prompt whose fate is open). The
next pass begins before the oldest line that waits, so that no text has to be kept for it: lines read twice give the
same events, and identity does the rest.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.event import Call, Event, Outcome, SessionKey, Status
from wisen.model.source import Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Mapping

FAR_BEHIND = 8 << 20
"""A line that still waits for its other half after this many bytes will not get it."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
IDLE = timedelta(hours=8)
_OLDEST, _NEWEST = EPOCH, datetime(2200, 1, 1, tzinfo=UTC)


class Segment(NamedTuple):
    """Where a session stands, as a cursor remembers it."""

    number: int
    last_ms: int
    start: str
    """The directory in which it began."""


class Opened(NamedTuple):
    """A call whose result was not seen yet."""

    tool: str
    hides: bool
    """Whether its exit code may be hidden."""
    session: SessionKey | None = None
    place: str = ""


class _Standing:
    """Where a session stands within this pass."""

    __slots__ = ("key", "last", "number", "start")

    def __init__(self, number: int, last: datetime, start: str, key: SessionKey | None = None) -> None:
        self.number, self.last, self.start, self.key = number, last, start, key


class _Waiting(NamedTuple):
    offset: int
    standings: list[tuple[str, int, datetime, str]]
    otherwise: Event | None


UNSEEN = Opened("", hides=False)
"""The call of a result whose beginning is not in this log."""


class Notebook:
    """The state of one pass over one source."""

    def __init__(self, agent: str, segments: Mapping[str, Segment]) -> None:
        self._agent = agent
        self._standings = {
            native: _Standing(number, EPOCH + timedelta(milliseconds=last), start)
            for native, (number, last, start) in segments.items()
        }
        self._open: dict[str, Opened] = {}
        self._waiting: dict[str, _Waiting] = {}
        self.events: list[Event] = []
        self.troubles: list[Trouble] = []

    def session(self, native: str, at: datetime, place: str) -> SessionKey:
        """The session's present segment; a new one begins after eight idle hours."""
        standing = self._standings.get(native)
        if standing is None:
            standing = self._standings[native] = _Standing(0, at, place)
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
        standing = self._standings[native]
        standing.number += 1
        standing.key = None

    def leave(self, native: str) -> None:
        """A session is over: nothing of it has to be remembered."""
        self._standings.pop(native, None)

    def call(self, call: Call, offset: int, *, hides: bool) -> None:
        """A call was asked for; its result is awaited."""
        self._open[call.id] = Opened(call.tool, hides, call.session, call.place)
        self.wait(call.id, offset)
        self.events.append(call)

    def succeeded(self, call: str, at: datetime) -> bool:
        """An open call ended well; its result stands where its call stood. False when more must be known of it."""
        opened = self._open.get(call)
        if opened is None or opened.hides or opened.session is None:
            return False
        standing = self._standings[opened.session.native]
        if at - standing.last > IDLE:
            return False
        standing.last = max(standing.last, at)
        del self._open[call]
        self._waiting.pop(call, None)
        self.outcome(call, opened.session, at, opened.place, Status.OK)
        return True

    def close(self, call: str) -> Opened:
        """The open call that a result belongs to."""
        self.settle(call)
        return self._open.pop(call, UNSEEN)

    def outcome(
        self, call: str, session: SessionKey, at: datetime, place: str, status: Status, text: str | None = None
    ) -> None:
        """A call ended."""
        self.events.append(
            Outcome(id=f"end:{call}", call=call, session=session, at=at, place=place, status=status, text=text)
        )

    def wait(self, key: str, offset: int, otherwise: Event | None = None) -> None:
        """The line at this offset waits for its other half; without it, `otherwise` is what happened."""
        self._waiting[key] = _Waiting(offset, self._stand(), otherwise)

    def settle(self, key: str) -> None:
        """The other half came."""
        self._waiting.pop(key, None)

    def trouble(self, kind: TroubleKind, offset: int, detail: str = "") -> None:
        """Something was passed over."""
        self.troubles.append(Trouble(kind=kind, detail=detail[:40], offset=offset))

    def note_broken_record(self, offset: int, error: Exception) -> None:
        """The reader broke on a record, which is passed over."""
        self.trouble(TroubleKind.MISSHAPEN, offset, f"reader broke: {type(error).__name__}")

    def resume_at(self, offset: int) -> tuple[int, Mapping[str, Segment]]:
        """Where the next pass must begin so that nothing that waits is missed, and the segments as they were there."""
        for key, waiting in list(self._waiting.items()):
            if offset - waiting.offset <= FAR_BEHIND:
                return waiting.offset, _segments(waiting.standings)
            self.settle(key)
            if waiting.otherwise is not None:
                self.events.append(waiting.otherwise)
        return offset, _segments(self._stand())

    def _stand(self) -> list[tuple[str, int, datetime, str]]:
        return [(native, each.number, each.last, each.start) for native, each in self._standings.items()]

    def take(self) -> tuple[tuple[Event, ...], tuple[Trouble, ...]]:
        """What was found since the last take."""
        found = tuple(self.events), tuple(self.troubles)
        self.events, self.troubles = [], []
        return found


def _segments(standings: list[tuple[str, int, datetime, str]]) -> dict[str, Segment]:
    return {
        native: Segment(number, (last - EPOCH) // timedelta(milliseconds=1), start)
        for native, number, last, start in standings
    }


def moment(stamp: str | None) -> datetime | None:
    """An ISO time as agents write it, in UTC where it names no zone; None when it is not one."""
    try:
        at = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return plausible_time(at if at.tzinfo else at.replace(tzinfo=UTC))


def local_moment(stamp: str) -> datetime | None:
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
