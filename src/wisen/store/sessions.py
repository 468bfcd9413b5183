"""Sessions in the index: which there are, where they took place, and what was requested in them."""

from __future__ import annotations

import json
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from wisen.model.event import Status
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.index_selection import report_garbled, sql_selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from wisen.model.report import Selection
    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
_CONTEXTS = """
    SELECT DISTINCT context FROM scenes
    WHERE session IN (SELECT value FROM json_each(?)) AND (context <> '' OR place <> '')
"""
_KEYS = """
    SELECT DISTINCT agents.name, native FROM sessions JOIN agents ON agents.number = sessions.agent WHERE {sessions}
"""
_NUMBERS = """
    SELECT sessions.number FROM json_each(?) AS named JOIN agents ON agents.name = json_extract(named.value, '$[0]')
    JOIN sessions ON sessions.agent = agents.number AND native = json_extract(named.value, '$[1]')
"""
_NEWEST = """
    SELECT session FROM scenes JOIN tallies ON scene = scenes.number
    WHERE context = coalesce(?1, context) GROUP BY session ORDER BY max(last) DESC, session DESC LIMIT ?2
"""
_REQUESTS = """
    SELECT g.session, e.id, texts.text, scenes.context, g.calls <> '[]', g.failed > 0 FROM goals g
    CROSS JOIN events e ON e.number = g.request CROSS JOIN scenes ON scenes.number = e.scene
    LEFT JOIN texts ON texts.event = g.request
    WHERE g.at >= ?1 AND (?2 IS NULL OR scenes.context IN (SELECT value FROM json_each(?2)))
    ORDER BY g.session, g.at, g.request
"""

_CALLS = """
    SELECT e.number, scenes.session, shapes.tool, t.text FROM texts t CROSS JOIN events e ON e.number = t.event
    CROSS JOIN shapes ON shapes.number = e.shape AND kind = 'call' CROSS JOIN scenes ON scenes.number = e.scene
    WHERE {held}
"""
_OUTCOMES = """
    SELECT c.number, shapes.how FROM json_each(?) AS named CROSS JOIN events c ON c.number = named.value
    CROSS JOIN scenes called ON called.number = c.scene CROSS JOIN spans ON spans.session = called.session
    CROSS JOIN events e ON e.number BETWEEN spans.first AND spans.last AND e.call = c.id
    CROSS JOIN scenes ON scenes.number = e.scene AND scenes.session = called.session
    CROSS JOIN shapes ON shapes.number = e.shape AND kind = 'outcome'
    ORDER BY e.at, e.number
"""
_TYPED = """
    SELECT scenes.session, t.text FROM events e CROSS JOIN texts t ON t.event = e.number
    CROSS JOIN scenes ON scenes.number = e.scene
    WHERE e.shape IN (SELECT number FROM shapes WHERE kind = 'message' AND provenance = 'typed')
"""


class CallText(NamedTuple):
    """A call with its arguments."""

    number: int
    """Its number in the index."""
    session: int
    tool: str
    arguments: str


class Request(NamedTuple):
    """What the user asked for at the start of a goal."""

    session: int
    message: str
    """The id of the message."""
    text: str
    context: str
    has_calls: bool
    """Whether the agent made a call for it."""
    has_failed: bool
    """Whether one of those calls failed."""


class Sessions(Protocol):
    """The sessions that were read."""

    def contexts_of(self, sessions: Collection[int]) -> frozenset[str]:
        """Return the contexts in which sessions took place, by their numbers; empty for outside of any."""
        ...

    def keys(self, selection: Selection) -> frozenset[tuple[str, str]]:
        """Return agent and own id of each selected session, whenever its events happened."""
        ...

    def numbers_of(self, keys: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of sessions by agent and own id."""
        ...

    def newest(self, context: str | None, limit: int) -> frozenset[int]:
        """Return the mined sessions of a context, or of all, that were active last."""
        ...

    def last_active(self) -> datetime | None:
        """Return when the newest event of a mined session happened; None if there is none."""
        ...

    def requests(self, since: datetime, contexts: Collection[str] | None = None) -> Iterator[Request]:
        """Yield what was requested since a moment in some contexts, or in all, in the order of sessions."""
        ...

    def calls_with(self, words: Sequence[Collection[str]] = ()) -> Iterator[CallText]:
        """Yield the calls whose arguments were kept, in no order.

        With `words` only those that contain all words of one of the groups, in whatever they are part of. Words are of
        ASCII letters and digits: others may be stored in another form.
        """
        ...

    def outcomes_of(self, calls: Collection[int]) -> dict[int, Status]:
        """Return how calls ended in their session, by their numbers; those without an outcome are left out."""
        ...

    def typed_texts(self) -> Iterator[tuple[int, str]]:
        """Yield what users typed, with all that they pasted, each with its session; in no order."""
        ...


class SqliteSessions:
    """Sessions in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def contexts_of(self, sessions: Collection[int]) -> frozenset[str]:
        """Return the contexts in which sessions took place."""
        rows = self._db.run(_CONTEXTS, (json.dumps(sorted(sessions)),))
        return frozenset(unescape(str(context)) for (context,) in rows)

    def keys(self, selection: Selection) -> frozenset[tuple[str, str]]:
        """Return agent and own id of each selected session."""
        selected = sql_selection(selection)
        rows = self._db.run(_KEYS.format(sessions=selected.sessions("sessions.number")), selected.values)
        return frozenset((unescape(str(agent)), unescape(str(native))) for agent, native in rows)

    def numbers_of(self, keys: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of sessions by agent and own id."""
        packed = json.dumps([[escape(agent), escape(native)] for agent, native in sorted(keys)])
        return frozenset(self._db.as_int(number) for (number,) in self._db.run(_NUMBERS, (packed,)))

    def newest(self, context: str | None, limit: int) -> frozenset[int]:
        """Return the mined sessions of a context that were active last."""
        rows = self._db.run(_NEWEST, (None if context is None else escape(context), limit))
        return frozenset(self._db.as_int(session) for (session,) in rows)

    def last_active(self) -> datetime | None:
        """Return when the newest event of a mined session happened."""
        ((last,),) = self._db.run("SELECT max(last) FROM tallies")
        return None if last is None else from_milliseconds(self._db.as_int(last))

    def requests(self, since: datetime, contexts: Collection[str] | None = None) -> Iterator[Request]:
        """Yield what was requested since a moment, in the order of sessions."""
        from wisen.safety.passages import own_words

        chosen = None if contexts is None else json.dumps([escape(each) for each in sorted(contexts)])
        rows = cast("Iterator[tuple[Any, ...]]", self._db.stream(_REQUESTS, (milliseconds(since), chosen)))
        for session, message, text, context, calls, failed in rows:
            with report_garbled(self._db):
                request = Request(
                    session=session,
                    message=unescape(message),
                    text=own_words(unescape(text or "")),
                    context=intern(unescape(context)),  # very many share it
                    has_calls=bool(calls),
                    has_failed=bool(failed),
                )
            yield request

    def calls_with(self, words: Sequence[Collection[str]] = ()) -> Iterator[CallText]:
        """Yield the calls whose arguments were kept."""
        values: dict[str, Value] = {}
        groups = []
        for group in words:
            named = {f"w{len(values) + place}": word for place, word in enumerate(sorted(group, key=len, reverse=True))}
            values |= named
            groups.append(" AND ".join(f"instr(t.text, :{name})" for name in named) or "1")
        held = f"({' OR '.join(groups)})" if groups else "1"
        for number, session, tool, text in self._db.stream(_CALLS.format(held=held), values):
            yield CallText(self._db.as_int(number), self._db.as_int(session), unescape(str(tool)), unescape(str(text)))

    def outcomes_of(self, calls: Collection[int]) -> dict[int, Status]:
        """Return how calls ended in their session, by their numbers."""
        with report_garbled(self._db):
            rows = self._db.run(_OUTCOMES, (json.dumps(sorted(calls)),))
            return {self._db.as_int(number): Status(str(how)) for number, how in rows}  # the last one counts

    def typed_texts(self) -> Iterator[tuple[int, str]]:
        """Yield what users typed, each with its session."""
        for session, text in self._db.stream(_TYPED):
            yield self._db.as_int(session), unescape(str(text))
