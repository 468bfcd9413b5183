"""SQL for forgetting in the index: lists texts by event, and deletes texts and sessions."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from wisen.model.context import NOWHERE
from wisen.model.tombstone import ALL_CONTEXTS, FORGOTTEN
from wisen.store.escapes import escape, milliseconds, unescape
from wisen.store.findings_writer import TABLES
from wisen.store.interned_rows import find_or_add_number
from wisen.store.sqlite import translate_errors

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from datetime import datetime

    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
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
_NUMBERS = """
    SELECT sessions.number FROM sessions JOIN agents ON agents.number = agent WHERE (name, native, segment) IN (
        SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]') FROM json_each(?)
    )
"""
_THESE = "IN (SELECT value FROM json_each(?))"
_EVENTS_OF_SESSIONS = (
    "DELETE FROM texts WHERE event IN (SELECT number FROM events WHERE number BETWEEN ?2 AND ?3"  # noqa: ISC004
    " AND scene IN (SELECT number FROM scenes WHERE session IN (SELECT value FROM json_each(?1))))",
    "DELETE FROM events WHERE number BETWEEN ?2 AND ?3"  # noqa: ISC004 - one statement
    " AND scene IN (SELECT number FROM scenes WHERE session IN (SELECT value FROM json_each(?1)))",
)
_EVENTS_AT_ONCE = 1_000_000
"""SQLite holds the numbers of what a statement deletes in memory."""
_OF_SESSIONS = (
    f"DELETE FROM tallies WHERE scene IN (SELECT number FROM scenes WHERE session {_THESE})",  # noqa: S608 - constants
    *(
        f"DELETE FROM {table} WHERE session {_THESE}"  # noqa: S608 - constants
        for table in (*TABLES, "spans", "mining", "ends", "loose", "holdings", "session_sizes")
    ),
    f"DELETE FROM scenes WHERE session {_THESE}",  # noqa: S608 - constants
    f"DELETE FROM sessions WHERE number {_THESE}",  # noqa: S608 - constants
)
_CONTEXTS = f"""
    SELECT context FROM scenes WHERE session {_THESE} UNION SELECT context FROM runs WHERE session {_THESE}
"""  # noqa: S608 - constants
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
_FEW_PAGES = 4_096
"""A file of up to 16 MB is rewritten in a moment."""


_MOVED_SCENES = """
    SELECT number, session FROM scenes s WHERE context = ?1
    AND NOT EXISTS (SELECT 1 FROM scenes t WHERE (t.session, t.context, t.place) = (s.session, ?2, s.place))
"""


def redact(db: SqliteDatabase, events: Collection[tuple[str, str]]) -> tuple[int, set[int], set[str]]:
    """In a transaction: delete texts. Returns how many, the sessions to be mined again, and their contexts."""
    redacted: dict[int, int] = {}
    sessions: set[int] = set()
    texts = 0
    for agent, ids in events_by_agent(events):
        rows = db.run(_NAMED, (agent, ids))
        for number, shape, session, text in cast("list[tuple[int, int, int, int | None]]", rows):
            if shape not in redacted:
                redacted[shape] = _redacted_shape(db, shape)
            db.run("DELETE FROM texts WHERE event = ?", (number,))
            db.run("UPDATE events SET shape = ? WHERE number = ?", (redacted[shape], number))
            texts += text is not None
            sessions.add(session)
    contexts = contexts_of(db, sessions)
    _queue_mining(db, sessions)
    return texts, sessions, contexts


def unredact(db: SqliteDatabase, events: Collection[tuple[str, str]]) -> set[int]:
    """In a transaction: delete the stubs of events, and mark their sources as unread. Returns the sessions."""
    sessions: set[int] = set()
    for agent, ids in events_by_agent(events):
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
    return {db.as_int(number) for (number,) in db.run(_WITHIN, (scene_context(scope),))}


def contexts_of(db: SqliteDatabase, sessions: Iterable[int]) -> set[str]:
    """Return the contexts in which anything happened in these sessions, or was found in them."""
    numbers = json.dumps(sorted(sessions))
    return {unescape(str(context)) for (context,) in db.run(_CONTEXTS, (numbers, numbers))}


def delete_sessions(db: SqliteDatabase, sessions: Iterable[int], *, at_once: int = _EVENTS_AT_ONCE) -> None:
    """In a transaction: delete whole sessions, looking at so many events at once."""
    numbers = json.dumps(sorted(sessions))
    last = db.query_int("SELECT coalesce(max(number), 0) FROM events")
    for first in range(1, last + 1, at_once):
        for statement in _EVENTS_OF_SESSIONS:
            db.run(statement, (numbers, first, first + at_once - 1))
    for statement in _OF_SESSIONS:
        db.run(statement, (numbers,))
    remove_orphans(db)


def session_numbers(db: SqliteDatabase, sessions: Collection[tuple[str, str, int]]) -> set[int]:
    """Return the numbers of sessions, by agent, id and segment."""
    keys = json.dumps([[escape(agent), escape(native), segment] for agent, native, segment in sorted(sessions)])
    return {db.as_int(number) for (number,) in db.run(_NUMBERS, (keys,))}


def events_until(db: SqliteDatabase, scope: str, until: datetime) -> set[tuple[str, str]]:
    """Return the events of a context up to a moment, by agent and id."""
    rows = db.run(_IN_SCOPE, (scene_context(scope), milliseconds(until)))
    return {(unescape(str(agent)), unescape(str(id_))) for agent, id_ in rows}


def scrub(db: SqliteDatabase, *, thoroughly: bool) -> None:
    """Leave no byte of what was deleted: not in FTS5 segments, free pages, logs and files moved aside.

    SQLite overwrites deleted rows (secure_delete), but a row that it moved to another page before may stay in the
    unused part of the old page: only rewriting the file removes that.
    """
    db.run("PRAGMA secure_delete = ON")
    # Deletion only adds delete markers to the segments; merged into one they contain only words that are left.
    db.run("INSERT INTO memory_words (memory_words) VALUES ('optimize')")
    pages, free = db.query_int("PRAGMA page_count"), db.query_int("PRAGMA freelist_count")
    if thoroughly or pages <= _FEW_PAGES or free * 2 >= pages:
        db.scrub()
    else:
        db.truncate_log()
    with translate_errors(db.path):
        for aside in db.path.parent.glob(f"{db.path.name}.damaged-*"):
            with suppress(FileNotFoundError):
                aside.unlink()


def events_by_agent(events: Collection[tuple[str, str]]) -> Iterator[tuple[str, str]]:
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


def scene_context(scope: str) -> str:
    """Return a scope as scenes name it."""
    return "" if scope == NOWHERE else escape(scope)
