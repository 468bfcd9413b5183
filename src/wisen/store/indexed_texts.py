"""Finds texts in the index that may have to be forgotten, each with its event: those stored, and those derived.

Texts are searched by their words in one pass over the tables, or listed for some sessions; see `word_filter.py`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen.model.tombstone import ALL_CONTEXTS, IndexedText
from wisen.store.escapes import escape, unescape
from wisen.store.index_deletion import events_by_agent, scene_context
from wisen.store.word_filter import may_contain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.tombstone import TextSearch
    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value. CROSS JOIN keeps the order of the
# tables: SQLite would begin with the sessions, and read every event.
_IN_SESSION = """
    CROSS JOIN scenes ON scenes.number = e.scene CROSS JOIN sessions ON sessions.number = scenes.session
    CROSS JOIN agents ON agents.number = sessions.agent
"""
_CHANGED = "tries CROSS JOIN fixes f ON f.number = fix CROSS JOIN changes c ON c.number = f.change"
_EDIT = "removed || ' ' || added || ' ' || before"
_DERIVED = (
    ("signals", "signals.event", "signals.session", "coalesce(lesson, '') || ' ' || coalesce(called_up_by, '')"),
    (
        "failures CROSS JOIN signatures s ON s.number = signature",
        "failures.call",
        "failures.session",
        "command || ' ' || who || ' ' || says",
    ),
    ("runs", "runs.request", "runs.session", "run"),
    (_CHANGED, "tries.failure", "tries.session", _EDIT),
    (_CHANGED, "tries.later", "tries.session", _EDIT),
)
"""Where derived texts are: the tables, their event and session, and the text."""
_TEXTS = ("texts", "texts.event", "", "texts.text")
_TEXTS_OF_SESSIONS = """
    SELECT agents.name, sessions.native, e.id, scenes.context, texts.text
    FROM spans CROSS JOIN events e ON e.number BETWEEN spans.first AND spans.last
    CROSS JOIN scenes ON scenes.number = e.scene AND scenes.session = spans.session
    CROSS JOIN texts ON texts.event = e.number
    CROSS JOIN sessions ON sessions.number = scenes.session CROSS JOIN agents ON agents.number = sessions.agent
    WHERE spans.session IN (SELECT value FROM json_each(:sessions))
"""
_SESSIONS_OF_EVENTS = """
    SELECT e.number, scenes.session FROM events e JOIN agents ON agents.number = e.agent
    JOIN scenes ON scenes.number = e.scene WHERE e.id IN (SELECT value FROM json_each(?2)) AND agents.name = ?1
"""
_SESSIONS_NAMED = """
    SELECT sessions.number FROM sessions JOIN agents ON agents.number = agent
    WHERE (agents.name, native) IN (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?))
"""


def indexed_texts(db: SqliteDatabase, search: TextSearch) -> Iterator[IndexedText]:
    """Yield every text that is stored because of an event or derived from it, as far as it may be wanted."""
    if search.words is None and search.scope != ALL_CONTEXTS:
        context = scene_context(search.scope)
        rows = db.run("SELECT DISTINCT session FROM scenes WHERE context = ?", (context,))
        yield from _of_sessions(db, [db.as_int(session) for (session,) in rows], " AND scenes.context = :of", context)
    elif search.words is None or search.words:
        yield from _with_words(db, search)
    if search.sessions:
        names = json.dumps([[escape(agent), escape(native)] for agent, native in sorted(search.sessions)])
        yield from _of_sessions(db, [db.as_int(number) for (number,) in db.run(_SESSIONS_NAMED, (names,))])
    if search.events:
        yield from _of_events(db, search)


def _with_words(db: SqliteDatabase, search: TextSearch) -> Iterator[IndexedText]:
    """Yield the texts in all sessions that may contain one of the words."""
    values: dict[str, Value] = {}
    statements = []
    for source, event, _, text in (_TEXTS, *_DERIVED):
        where = "" if search.words is None else f" WHERE {may_contain(db, f'({text})', search.words, values)}"
        statements.append(_select(source, event, text) + where)
    yield from _stream(db, statements, values)


def _of_sessions(
    db: SqliteDatabase, sessions: list[int], condition: str = "", value: Value = None
) -> Iterator[IndexedText]:
    """Yield the texts of some sessions, by their numbers; with a condition on `:of`."""
    values: dict[str, Value] = {"sessions": json.dumps(sorted(set(sessions)))}
    if condition:
        values["of"] = value
    chosen = " WHERE {session} IN (SELECT value FROM json_each(:sessions))"
    derived = [_select(source, event, text) + chosen.format(session=of) for source, event, of, text in _DERIVED]
    yield from _stream(db, [each + condition for each in (_TEXTS_OF_SESSIONS, *derived)], values)


def _of_events(db: SqliteDatabase, search: TextSearch) -> Iterator[IndexedText]:
    """Yield the texts of events that were named."""
    numbers: list[Value] = []
    sessions: list[int] = []
    for agent, ids in events_by_agent(search.events):
        for number, session in db.run(_SESSIONS_OF_EVENTS, (agent, ids)):
            numbers.append(number)
            sessions.append(db.as_int(session))
    condition = " AND e.number IN (SELECT value FROM json_each(:of))"
    yield from _of_sessions(db, sessions, condition, json.dumps(numbers))


def _select(source: str, event: str, text: str) -> str:
    return (
        f"SELECT agents.name, sessions.native, e.id, scenes.context, {text} FROM {source} "  # noqa: S608 - constants
        f"CROSS JOIN events e ON e.number = {event} {_IN_SESSION}"
    )


def _stream(db: SqliteDatabase, statements: list[str], values: dict[str, Value]) -> Iterator[IndexedText]:
    for row in db.stream(" UNION ALL ".join(statements), values):
        yield IndexedText._make(unescape(str(value)) for value in row)
