"""Reads session histories from the index: calls with their outcomes, and the user's turns.

A session's events are found by their spans, so that nothing but the session is read.
"""

from __future__ import annotations

from array import array
from bisect import bisect
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from wisen.model.event import Provenance, Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.store.escapes import from_milliseconds, unescape
from wisen.store.index_selection import report_garbled, sql_selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, MutableMapping

    from wisen.model.report import Selection
    from wisen.store.sqlite import SqliteDatabase

OF_SESSION = """
    FROM spans CROSS JOIN events e ON e.number BETWEEN spans.first AND spans.last
    CROSS JOIN scenes ON scenes.number = e.scene AND scenes.session = spans.session
"""
"""Every event `e` of the sessions whose spans the rest of a statement selects."""

LOCAL = "local"
"""Stored as the tool of a message that was typed to a local model."""
_EVENTS = f"""
    SELECT e.number, e.at, e.id, kind, provenance, how, tool, e.call, texts.text, scenes.context {OF_SESSION}
    CROSS JOIN shapes ON shapes.number = e.shape LEFT JOIN texts ON texts.event = e.number
    WHERE spans.session = ? ORDER BY e.at, e.number
"""
# With OR, or with an order, SQLite would scan every session.
_UNMINED = """
    SELECT session FROM mining WHERE version IS NULL UNION ALL SELECT session FROM mining WHERE version < ?1
    UNION ALL SELECT session FROM mining WHERE version > ?1
"""
_NAMED = """
    SELECT agents.name, native FROM sessions JOIN agents ON agents.number = agent WHERE sessions.number = ?
"""
_WAITS = "SELECT newest, version FROM mining WHERE session = ?"
_SESSIONS = "SELECT session FROM mining WHERE {sessions} ORDER BY session"
# Of a session that was mined, the tallies say when its last events happened: older ones are not read.
_SINCE = """(mining.version IS NULL OR mining.session IN (
    SELECT scenes.session FROM tallies JOIN scenes ON scenes.number = tallies.scene WHERE last >= :since
))"""


class _Event(NamedTuple):
    number: int
    at: int
    id: str
    kind: str
    provenance: str
    how: str
    tool: str
    call: str | None
    text: str | None
    context: str


def unmined_sessions(db: SqliteDatabase, version: int) -> list[int]:
    """Return the numbers of the sessions that this version of the miner has not seen completely, in order."""
    return sorted(array("q", (db.as_int(row[0]) for row in db.stream(_UNMINED, (version,)))))


def unmined_histories(
    db: SqliteDatabase, version: int, handed: MutableMapping[int, int], sessions: Iterable[int]
) -> Iterator[History]:
    """Yield the histories of those of some sessions that this version of the miner has not seen completely.

    `handed` receives the number of the last event of each at the time it was read.
    """
    for session in sessions:
        if hand_out(db, version, handed, session):
            yield _history(db, session, None)


def hand_out(db: SqliteDatabase, version: int, handed: MutableMapping[int, int], session: int) -> bool:
    """Note the last event of a session that is about to be mined; False if another process was faster."""
    waiting = db.run(_WAITS, (session,))
    if not waiting or waiting[0][1] == version:
        return False
    handed[session] = db.as_int(waiting[0][0])
    return True


def histories(db: SqliteDatabase, selection: Selection) -> Iterator[History]:
    """Yield each selected session with calls or user actions."""
    selected = sql_selection(selection)
    chosen = selected.sessions("session") + (f" AND {_SINCE}" if selected.since else "")
    statement = _SESSIONS.format(sessions=chosen)
    sessions = array("q", (db.as_int(row[0]) for row in db.stream(statement, selected.values)))
    since = cast("int | None", selected.values.get("since"))
    for session in sessions:
        history = _history(db, session, since)
        if history.steps or history.turns:
            yield history


def _history(db: SqliteDatabase, session: int, since: int | None) -> History:
    with report_garbled(db):
        events = [_Event._make(cast("tuple[Any, ...]", row)) for row in db.run(_EVENTS, (session,))]
        ends = {event.call: event for event in events if event.kind == "outcome"}
        if since is not None:
            events = [event for event in events if event.at >= since]
        calls = [event for event in events if event.kind == "call"]
        places = [(call.at, call.number) for call in calls]
        conceded = _conceded_numbers(events)
        ((agent, native),) = cast("list[tuple[str, str]]", db.run(_NAMED, (session,)))
        return History(
            session=session,
            agent=unescape(agent),
            native=unescape(native),
            steps=tuple(_step(call, ends.get(call.id)) for call in calls),
            turns=tuple(
                _turn(event, act, bisect(places, (event.at, event.number)), conceded=event.number in conceded)
                for event in events
                if (act := _act(event)) is not None
            ),
        )


def _act(event: _Event) -> UserAction | None:
    if event.kind == "message" and event.provenance == Provenance.TYPED:
        return UserAction.SAID
    return {"rejection": UserAction.REJECTED, "interrupt": UserAction.INTERRUPTED}.get(event.kind)


def _conceded_numbers(events: list[_Event]) -> set[int]:
    """Return the numbers of user messages that were followed by a concession before the next message."""
    numbers: set[int] = set()
    said = None
    for event in events:
        if event.kind == "message" and event.provenance == Provenance.TYPED:
            said = event.number
        elif event.kind == "concession" and said is not None:
            numbers.add(said)
    return numbers


def _step(call: _Event, end: _Event | None) -> Step:
    return Step(
        call=unescape(call.id),
        tool=unescape(call.tool),
        arguments=None if call.text is None else unescape(call.text),
        status=None if end is None else Status(end.how),
        text=None if end is None or end.text is None else unescape(end.text),
        at=from_milliseconds(call.at),
        ended=None if end is None else from_milliseconds(end.at),
        context=unescape(call.context),
    )


def _turn(event: _Event, act: UserAction, before: int, *, conceded: bool) -> Turn:
    from wisen.safety.passages import own_words

    typed = None if event.text is None else unescape(event.text)
    own = None if typed is None else own_words(typed)
    return Turn(
        id=unescape(event.id),
        action=act,
        at=from_milliseconds(event.at),
        text=own or None,
        before=before,
        origin=unescape(event.how),
        conceded=conceded,
        context=unescape(event.context),
        call="" if event.call is None else unescape(event.call),
        whole=None if own is typed else typed,
        local=event.kind == "message" and event.tool == LOCAL,
    )
