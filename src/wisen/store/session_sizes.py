"""How much the sessions of the index weigh: counted once, after a session was mined, for the retention limits.

What is due to be mined is counted from its events, so that the result is that of counting everything.
"""

from __future__ import annotations

import json
from array import array
from sys import intern
from typing import TYPE_CHECKING

from wisen.model.archive import EVENT_BYTES, ArchivedSession, ArchiveSize
from wisen.store.escapes import from_milliseconds, unescape
from wisen.store.index_histories import OF_SESSION
from wisen.store.index_selection import report_garbled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.database_port import Row
    from wisen.store.sqlite import SqliteDatabase

FORGET_SIZE = "DELETE FROM session_sizes WHERE session = ?"
COUNT_SIZE = f"""
    INSERT INTO session_sizes
    SELECT spans.session, coalesce((
        SELECT there.context FROM scenes there JOIN tallies ON tallies.scene = there.number
        WHERE there.session = spans.session GROUP BY there.context ORDER BY sum(many) DESC, there.context LIMIT 1
    ), ''), min(e.at), max(e.at), count(*), coalesce(sum(length(CAST(texts.text AS BLOB))), 0)
    {OF_SESSION} LEFT JOIN texts ON texts.event = e.number WHERE spans.session = ? GROUP BY spans.session
"""  # noqa: S608 - constants
"""Stores the size of one session, after its tallies."""
_COUNTED = "FROM session_sizes z CROSS JOIN mining ON mining.session = z.session AND mining.version IS NOT NULL"
_DUE = "SELECT session FROM mining WHERE version IS NULL OR session NOT IN (SELECT session FROM session_sizes)"
_NAMED = "CROSS JOIN sessions ON sessions.number = {session} CROSS JOIN agents ON agents.number = sessions.agent"
_SESSIONS_COUNTED = f"""
    SELECT sessions.number, agents.name, native, segment, z.context, z.last, z.events, z.bytes, 0
    {_COUNTED} {_NAMED.format(session="z.session")}
"""
_SESSIONS_DUE = f"""
    SELECT sessions.number, agents.name, native, segment, scenes.context, max(e.at), count(*),
    coalesce(sum(length(CAST(texts.text AS BLOB))), 0), max(mining.version IS NULL)
    {OF_SESSION} LEFT JOIN texts ON texts.event = e.number CROSS JOIN mining ON mining.session = spans.session
    {_NAMED.format(session="spans.session")}
    WHERE spans.session IN (SELECT value FROM json_each(?))
    GROUP BY sessions.number, scenes.context ORDER BY sessions.number, scenes.context
"""  # noqa: S608 - constants
_DUE_AT_ONCE = 100
"""To group them by context, SQLite holds all their events in memory."""
_TOTAL_COUNTED = f"""
    SELECT count(*), coalesce(sum(events), 0), coalesce(sum(bytes), 0), min(first), max(last), min(last) {_COUNTED}
"""
_TOTAL_DUE = f"""
    SELECT count(*), coalesce(sum(events), 0), coalesce(sum(bytes), 0), min(first), max(last), min(last) FROM (
        SELECT count(*) AS events, coalesce(sum(length(CAST(texts.text AS BLOB))), 0) AS bytes,
        min(e.at) AS first, max(e.at) AS last {OF_SESSION} LEFT JOIN texts ON texts.event = e.number
        WHERE spans.session IN ({_DUE}) GROUP BY spans.session
    )
"""  # noqa: S608 - constants


def archived_sessions(db: SqliteDatabase) -> tuple[ArchivedSession, ...]:
    """Return every stored session; its context is that of most of its events."""
    sessions: dict[int, ArchivedSession] = {}
    most: dict[int, int] = {}
    with report_garbled(db):
        for each in _sessions(db):
            before = sessions.get(each.number)
            if before is None:
                sessions[each.number], most[each.number] = each, each.events
                continue
            sessions[each.number] = each._replace(
                context=each.context if each.events > most[each.number] else before.context,
                last=max(each.last, before.last),
                events=each.events + before.events,
                size=each.size + before.size,
            )
            most[each.number] = max(each.events, most[each.number])
    return tuple(sessions.values())


def archive_size(db: SqliteDatabase) -> ArchiveSize:
    """Return the total of all stored sessions."""
    totals = [db.run(statement)[0] for statement in (_TOTAL_COUNTED, _TOTAL_DUE)]
    sessions, events, size = (sum(db.as_int(row[column]) for row in totals) for column in range(3))
    first, last, idle = (
        [from_milliseconds(db.as_int(row[column])) for row in totals if row[column] is not None]
        for column in range(3, 6)
    )
    size += events * EVENT_BYTES
    return ArchiveSize(
        sessions, events, size, min(first, default=None), max(last, default=None), min(idle, default=None)
    )


def _sessions(db: SqliteDatabase) -> Iterator[ArchivedSession]:
    """Yield the stored sessions; one that is due once for each of its contexts."""
    for row in db.stream(_SESSIONS_COUNTED):
        yield _session(db, row)
    due = sorted(array("q", (db.as_int(session) for (session,) in db.stream(_DUE))))
    for start in range(0, len(due), _DUE_AT_ONCE):
        for row in db.run(_SESSIONS_DUE, (json.dumps(due[start : start + _DUE_AT_ONCE]),)):
            yield _session(db, row)


def _session(db: SqliteDatabase, row: Row) -> ArchivedSession:
    number, agent, native, segment, context, last, events, size, waits = row
    many = db.as_int(events)
    return ArchivedSession(
        intern(unescape(str(agent))),  # very many sessions share these two
        unescape(str(native)),
        db.as_int(segment),
        intern(unescape(str(context))),
        from_milliseconds(db.as_int(last)),
        many,
        db.as_int(size) + many * EVENT_BYTES,
        bool(waits),
        db.as_int(number),
    )
