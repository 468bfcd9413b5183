"""Finds recorded calls by the words in their arguments or by their ids, and counts sessions, without reading sessions.

Whoever looks for few calls of many sessions asks here which sessions are worth reading.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.index_histories import OF_SESSION

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

_MAX_ALTERNATIVES = 12
"""With more sets of words, reading every call costs less than comparing each with all of them."""
# Names in these statements are constants; user text is only passed as a value.
_OF_EVENT = """
    CROSS JOIN shapes ON shapes.number = e.shape CROSS JOIN scenes ON scenes.number = e.scene WHERE shapes.kind = 'call'
"""
_ALL = f"""
    SELECT scenes.session, shapes.tool, texts.text FROM events e LEFT JOIN texts ON texts.event = e.number {_OF_EVENT}
"""  # noqa: S608
_CALLS = f"""
    SELECT scenes.session, shapes.tool, texts.text FROM texts CROSS JOIN events e ON e.number = texts.event {_OF_EVENT}
"""  # noqa: S608
# Where arguments have neither mark, quotes only enclose whole values: no word is interrupted by one.
_QUOTED = """(instr(text, '\\') OR instr(text, ''''))"""
_UNQUOTED = """replace(replace(replace(text, '\\', ''), '"', ''), '''', '')"""
_EXPANDS = "(instr(text, '$') OR instr(text, '`') OR instr(text, '%') OR instr(substr(text, 2), '{'))"
_CONTAINS = f"(instr(text, @) OR ({_QUOTED} AND instr({_UNQUOTED}, @)))"
_CONTAINS_PLAINLY = f"(instr(text, @) OR {_QUOTED} OR {_EXPANDS})"
_OF_CALLS = """
    SELECT DISTINCT scenes.session FROM events e JOIN scenes ON scenes.number = e.scene
    WHERE e.id IN (SELECT value FROM json_each(?2)) AND e.agent = (SELECT number FROM agents WHERE name = ?1)
"""
_UNMINED = "SELECT session FROM mining WHERE version IS NULL"
_ACTS = "(kind IN ('call', 'rejection', 'interrupt') OR (kind = 'message' AND provenance = 'typed'))"
_COUNT = f"""
    SELECT count(DISTINCT session) FROM (
        SELECT scenes.session FROM tallies JOIN scenes ON scenes.number = tallies.scene
        JOIN shapes ON shapes.number = tallies.shape
        WHERE {_ACTS} AND last >= ?1 AND scenes.session NOT IN ({_UNMINED})
        UNION ALL
        SELECT spans.session {OF_SESSION} CROSS JOIN shapes ON shapes.number = e.shape
        WHERE spans.session IN ({_UNMINED}) AND {_ACTS} AND e.at >= ?1
    )
"""  # noqa: S608
_TALLIED_LAST = """
    SELECT max(last) FROM tallies JOIN shapes ON shapes.number = shape WHERE kind NOT IN ('concession', 'citation')
"""
_UNMINED_LAST = f"""
    SELECT max(e.at) {OF_SESSION} CROSS JOIN shapes ON shapes.number = e.shape
    WHERE spans.session IN ({_UNMINED}) AND kind NOT IN ('concession', 'citation')
"""
_FIRST_MOMENT = -(1 << 62)


class CallWords(NamedTuple):
    """Words that the arguments of a call contain."""

    always: tuple[str, ...]
    """In the arguments without their quotes and backslashes."""
    plainly: tuple[str, ...] = ()
    """There too, unless a shell puts words together from other parts: variables, braces, formats, escapes."""


class FoundCall(NamedTuple):
    """A recorded call."""

    session: int
    """The number of its session in the index."""
    tool: str
    arguments: str | None
    """None where they were not kept."""


class RecordedCalls(Protocol):
    """The calls of all sessions."""

    def find(self, wanted: Sequence[CallWords]) -> Iterator[FoundCall]:
        """Yield the calls that contain all words of one of these, in the order in which they were stored.

        Other calls may be among them: the caller compares each itself.
        """
        ...

    def sessions_of(self, calls: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of the sessions that hold these calls, each by agent and id."""
        ...

    def count_sessions(self, since: datetime | None = None) -> int:
        """Return how many sessions hold a call or something that the user did, at all or from a moment on."""
        ...

    def last_event(self) -> datetime | None:
        """Return when the last event happened, as a report counts it."""
        ...

    def unmined_sessions(self) -> frozenset[int]:
        """Return the numbers of the sessions with events that were not mined yet."""
        ...


class SqliteRecordedCalls:
    """The calls in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def find(self, wanted: Sequence[CallWords]) -> Iterator[FoundCall]:
        """Yield the calls that contain all words of one of these, and maybe others."""
        if len(wanted) > _MAX_ALTERNATIVES or not all(each.always or each.plainly for each in wanted):
            rows = self._db.stream(_ALL)
        else:
            condition, values = _condition(wanted)
            rows = self._db.stream(f"{_CALLS} AND ({condition})", values)
        for session, tool, text in rows:
            yield FoundCall(
                self._db.as_int(session), unescape(str(tool)), None if text is None else unescape(str(text))
            )

    def sessions_of(self, calls: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of the sessions that hold these calls."""
        sessions: set[int] = set()
        for agent in sorted({agent for agent, _ in calls}):
            ids = json.dumps([escape(id_) for of, id_ in calls if of == agent])
            sessions.update(self._db.as_int(session) for (session,) in self._db.run(_OF_CALLS, (escape(agent), ids)))
        return frozenset(sessions)

    def count_sessions(self, since: datetime | None = None) -> int:
        """Return how many sessions hold a call or something that the user did."""
        return self._db.query_int(_COUNT, (_FIRST_MOMENT if since is None else milliseconds(since),))

    def last_event(self) -> datetime | None:
        """Return when the last event happened."""
        moments = [self._db.run(statement)[0][0] for statement in (_TALLIED_LAST, _UNMINED_LAST)]
        return max((from_milliseconds(self._db.as_int(each)) for each in moments if each is not None), default=None)

    def unmined_sessions(self) -> frozenset[int]:
        """Return the numbers of the sessions with events that were not mined yet."""
        return frozenset(self._db.as_int(session) for (session,) in self._db.run(_UNMINED))


def _condition(wanted: Sequence[CallWords]) -> tuple[str, dict[str, Value]]:
    """Return the condition that a call contains all words of one of these, and its values."""
    values: dict[str, Value] = {}
    alternatives = []
    for each in wanted:
        terms = []
        for term, words in ((_CONTAINS_PLAINLY, each.plainly), (_CONTAINS, each.always)):
            for word in sorted(words, key=len, reverse=True):  # long words are rare: most calls are compared once
                name = f"word{len(values)}"
                values[name] = word
                terms.append(term.replace("@", f":{name}"))
        alternatives.append(" AND ".join(terms))
    return " OR ".join(f"({each})" for each in alternatives) or "0", values
