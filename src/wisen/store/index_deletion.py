"""SQL for forgetting in the index: lists texts by event, and deletes texts and sessions."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from wisen.model.archive import EVENT_BYTES, ArchivedSession
from wisen.model.context import NOWHERE
from wisen.model.tombstone import ALL_CONTEXTS, FORGOTTEN, IndexedText
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.findings_writer import TABLES
from wisen.store.index_selection import report_garbled
from wisen.store.interned_rows import find_or_add_number
from wisen.store.sqlite import translate_errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
_OF_EVENT = """
    FROM {source} JOIN events e ON e.number = {event} JOIN scenes ON scenes.number = e.scene
    JOIN sessions ON sessions.number = scenes.session JOIN agents ON agents.number = sessions.agent
"""
_SAYS = "SELECT agents.name, sessions.native, e.id, scenes.context, {text} {of}"
_CHANGED = "removed || ' ' || added || ' ' || before"
_WORKED_OUT = (
    ("texts", "texts.event", "texts.text"),
    ("signals", "signals.event", "coalesce(lesson, '') || ' ' || coalesce(called_up_by, '')"),
    ("failures JOIN signatures s ON s.number = signature", "failures.call", "command || ' ' || who || ' ' || says"),
    ("tries JOIN fixes f ON f.number = fix JOIN changes c ON c.number = f.change", "tries.failure", _CHANGED),
    ("tries JOIN fixes f ON f.number = fix JOIN changes c ON c.number = f.change", "tries.later", _CHANGED),
)
_TRACES = " UNION ALL ".join(
    _SAYS.format(text=text, of=_OF_EVENT.format(source=source, event=event)) for source, event, text in _WORKED_OUT
)
_NAMED = """
    SELECT e.number, e.shape, scenes.session, texts.event FROM events e JOIN agents ON agents.number = e.agent
    JOIN scenes ON scenes.number = e.scene LEFT JOIN texts ON texts.event = e.number
    WHERE (e.id IN (SELECT value FROM json_each(?2)) OR e.call IN (SELECT value FROM json_each(?2)))
    AND agents.name = ?1
"""
"""Events, and the outcomes of those that are calls."""
_SHAPE = "SELECT kind, provenance, how, tool FROM shapes WHERE number = ?"
_ORPHANS = (
    "DELETE FROM fixes WHERE number NOT IN (SELECT fix FROM tries)",
    "DELETE FROM changes WHERE number NOT IN (SELECT change FROM fixes)",
    "DELETE FROM signatures WHERE number NOT IN (SELECT signature FROM fixes UNION SELECT signature FROM failures)",
)
_WITHIN = """
    SELECT session FROM scenes GROUP BY session HAVING sum(context = ?1) > 0
    AND sum(context NOT IN (?1, '') OR (context = '' AND place <> '' AND ?1 <> '')) = 0
"""
"""The sessions of one context; a scene without a place is that of concessions."""
_IN_SCOPE = """
    SELECT agents.name, e.id FROM events e JOIN scenes ON scenes.number = e.scene
    JOIN agents ON agents.number = e.agent WHERE scenes.context = ? AND e.at <= ?
"""
_THESE = "IN (SELECT value FROM json_each(?))"
_OF_SESSIONS = (
    "DELETE FROM texts WHERE event IN (SELECT number FROM events WHERE scene IN"  # noqa: ISC004, S608 - one statement
    f" (SELECT number FROM scenes WHERE session {_THESE}))",
    f"DELETE FROM tallies WHERE scene IN (SELECT number FROM scenes WHERE session {_THESE})",  # noqa: S608 - constants
    f"DELETE FROM events WHERE scene IN (SELECT number FROM scenes WHERE session {_THESE})",  # noqa: S608 - constants
    *(
        f"DELETE FROM {table} WHERE session {_THESE}"  # noqa: S608 - constants
        for table in (*TABLES, "spans", "mining", "ends", "loose", "holdings")
    ),
    f"DELETE FROM scenes WHERE session {_THESE}",  # noqa: S608 - constants
    f"DELETE FROM sessions WHERE number {_THESE}",  # noqa: S608 - constants
)
_STORED = """
    SELECT sessions.number, agents.name, native, segment, scenes.context, max(e.at), count(*),
    coalesce(sum(length(CAST(texts.text AS BLOB))), 0), mining.session IS NOT NULL AND mining.version IS NULL
    FROM events e JOIN scenes ON scenes.number = e.scene JOIN sessions ON sessions.number = scenes.session
    JOIN agents ON agents.number = sessions.agent LEFT JOIN texts ON texts.event = e.number
    LEFT JOIN mining ON mining.session = sessions.number
    GROUP BY sessions.number, scenes.context ORDER BY sessions.number, scenes.context
"""
_STUBS = """
    SELECT e.number, scenes.session FROM events e JOIN agents ON agents.number = e.agent
    JOIN shapes ON shapes.number = e.shape JOIN scenes ON scenes.number = e.scene
    WHERE (e.id IN (SELECT value FROM json_each(?2)) OR e.call IN (SELECT value FROM json_each(?2)))
    AND agents.name = ?1 AND withheld = ?3
"""
_UNREAD = "UPDATE sources SET size = -1, cursor = ''"
"""No source has this size, and a reader without a cursor starts at the beginning."""
_UNREAD_OF = f"{_UNREAD} WHERE number IN (SELECT source FROM holdings WHERE session = ?)"  # noqa: S608 - constants
_AT_ONCE = 500


_MOVED_SCENES = """
    SELECT number, session FROM scenes s WHERE context = ?1
    AND NOT EXISTS (SELECT 1 FROM scenes t WHERE (t.session, t.context, t.place) = (s.session, ?2, s.place))
"""


def indexed_texts(db: SqliteDatabase) -> Iterator[IndexedText]:
    """Yield every text that is stored because of an event, and what was derived from it."""
    for row in db.stream(_TRACES):
        yield IndexedText._make(unescape(str(value)) for value in row)


def redact(db: SqliteDatabase, events: Collection[tuple[str, str]]) -> tuple[int, set[int]]:
    """In a transaction: delete texts. Returns how many, and the sessions that have to be mined again."""
    redacted: dict[int, int] = {}
    sessions: set[int] = set()
    texts = 0
    for agent, ids in _by_agent(events):
        rows = db.run(_NAMED, (agent, ids))
        for number, shape, session, text in cast("list[tuple[int, int, int, int | None]]", rows):
            if shape not in redacted:
                redacted[shape] = _redacted_shape(db, shape)
            db.run("DELETE FROM texts WHERE event = ?", (number,))
            db.run("UPDATE events SET shape = ? WHERE number = ?", (redacted[shape], number))
            texts += text is not None
            sessions.add(session)
    _queue_mining(db, sessions)
    return texts, sessions


def unredact(db: SqliteDatabase, events: Collection[tuple[str, str]]) -> set[int]:
    """In a transaction: delete the stubs of events, and mark their sources as unread. Returns the sessions."""
    sessions: set[int] = set()
    for agent, ids in _by_agent(events):
        for number, session in db.run(_STUBS, (agent, ids, FORGOTTEN)):
            db.run("DELETE FROM events WHERE number = ?", (number,))
            sessions.add(db.as_int(session))
    _queue_mining(db, sessions)
    rows = [(session,) for session in sorted(sessions)]
    db.run_many(_UNREAD_OF, rows)
    return sessions


def move_context(db: SqliteDatabase, old: str, new: str) -> None:
    """In a transaction: move what happened in one context to another, and queue it to be mined again."""
    # A scene that also exists under the new context is kept; only what was learned from it is moved.
    rows = db.run(_MOVED_SCENES, (escape(old), escape(new)))
    db.run_many("UPDATE scenes SET context = ? WHERE number = ?", [(escape(new), number) for number, _ in rows])
    _queue_mining(db, {db.as_int(session) for _, session in rows})


def mark_all_unread(db: SqliteDatabase) -> None:
    """In a transaction: mark every source as unread."""
    db.run(_UNREAD)


def sessions_within(db: SqliteDatabase, scope: str) -> set[int]:
    """Return the sessions that are completely within a scope."""
    if scope == ALL_CONTEXTS:
        return {db.as_int(number) for (number,) in db.run("SELECT number FROM sessions")}
    return {db.as_int(number) for (number,) in db.run(_WITHIN, (_context(scope),))}


def delete_sessions(db: SqliteDatabase, sessions: Iterable[int]) -> None:
    """In a transaction: delete whole sessions."""
    numbers = json.dumps(sorted(sessions))
    for statement in _OF_SESSIONS:
        db.run(statement, (numbers,))
    remove_orphans(db)


def archived_sessions(db: SqliteDatabase) -> tuple[ArchivedSession, ...]:
    """Return every stored session; its context is that of most of its events."""
    sessions: dict[int, ArchivedSession] = {}
    most: dict[int, int] = {}
    with report_garbled(db):
        for number, agent, native, segment, context, last, events, size, waits in db.stream(_STORED):
            session, many = db.as_int(number), db.as_int(events)
            before = sessions.get(session)
            archived = ArchivedSession(
                unescape(str(agent)),
                unescape(str(native)),
                db.as_int(segment),
                unescape(str(context)),
                from_milliseconds(db.as_int(last)),
                many,
                db.as_int(size) + many * EVENT_BYTES,
                bool(waits),
            )
            if before is not None:
                archived = archived._replace(
                    context=archived.context if many > most[session] else before.context,
                    last=max(archived.last, before.last),
                    events=archived.events + before.events,
                    size=archived.size + before.size,
                )
            most[session] = max(many, most.get(session, 0))
            sessions[session] = archived
    return tuple(sessions.values())


def session_numbers(db: SqliteDatabase, sessions: Collection[tuple[str, str, int]]) -> set[int]:
    """Return the numbers of sessions, by agent, id and segment."""
    rows = db.run("SELECT sessions.number, name, native, segment FROM sessions JOIN agents ON agents.number = agent")
    return {
        db.as_int(number)
        for number, agent, native, segment in rows
        if (unescape(str(agent)), unescape(str(native)), db.as_int(segment)) in sessions
    }


def events_until(db: SqliteDatabase, scope: str, until: datetime) -> set[tuple[str, str]]:
    """Return the events of a context up to a moment, by agent and id."""
    rows = db.run(_IN_SCOPE, (_context(scope), milliseconds(until)))
    return {(unescape(str(agent)), unescape(str(id_))) for agent, id_ in rows}


def scrub(db: SqliteDatabase) -> None:
    """Leave no byte of what was deleted: not in FTS5 segments, free pages, logs and files moved aside."""
    db.run("PRAGMA secure_delete = ON")
    # Deletion only adds delete markers to the segments; a rebuild leaves no trace of the words.
    db.run("INSERT INTO memory_words (memory_words) VALUES ('rebuild')")
    db.scrub()
    with translate_errors(db.path):
        for aside in db.path.parent.glob(f"{db.path.name}.damaged-*"):
            with suppress(FileNotFoundError):
                aside.unlink()


def _by_agent(events: Collection[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the ids of events by agent, as many as one statement may hold."""
    for agent in sorted({agent for agent, _ in events}):
        ids = sorted(escape(id_) for of, id_ in events if of == agent)
        for start in range(0, len(ids), _AT_ONCE):
            yield escape(agent), json.dumps(ids[start : start + _AT_ONCE])


def _queue_mining(db: SqliteDatabase, sessions: Iterable[int]) -> None:
    """Delete what was derived from sessions, and queue them to be mined again."""
    rows = [(session,) for session in sorted(sessions)]
    for table in TABLES:
        db.run_many(f"DELETE FROM {table} WHERE session = ?", rows)  # noqa: S608 - constant names
    db.run_many("UPDATE mining SET version = NULL WHERE session = ?", rows)
    remove_orphans(db)


def remove_orphans(db: SqliteDatabase) -> None:
    """In a transaction: delete signatures, changes and fixes that no session refers to."""
    for statement in _ORPHANS:
        db.run(statement)


def _redacted_shape(db: SqliteDatabase, shape: int) -> int:
    names = ("kind", "provenance", "how", "tool")
    values = dict(zip(names, db.run(_SHAPE, (shape,))[0], strict=True))
    return find_or_add_number(db, "shapes", {**values, "withheld": FORGOTTEN})


def _context(scope: str) -> str:
    """Return a scope as scenes name it."""
    return "" if scope == NOWHERE else escape(scope)
