"""Events in the index and how far each source was read: the port, and how they are kept in a SQLite file.

What is counted in them is in `index_questions.py`, and how they make up a session's course in `index_histories.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.model.event import PROSE_EVENTS, Call, Citation, Concession, Event, Message, Outcome
from wisen.model.source import ReadProblemKind, SourceMark
from wisen.store.escapes import milliseconds, pack, unpack
from wisen.store.index_histories import LOCAL, histories
from wisen.store.index_questions import cited_ids, count_selected, read_problems
from wisen.store.numbered import add_numbered, find_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.model.citation import CitedId
    from wisen.model.event import SessionKey
    from wisen.model.history import History
    from wisen.model.index_batch import IndexBatch
    from wisen.model.report import Counts, Selection
    from wisen.model.source import ReadProblemCount
    from wisen.store.dialect import Row, Value
    from wisen.store.index_numbers import IndexNumbers
    from wisen.store.sqlite import SqliteDatabase

_KEEP_EVENT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"
_KEEP_TEXT = "INSERT INTO texts VALUES (?, ?)"
_KEEP_TEXT_OF_NEW = "INSERT INTO texts SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM events WHERE number = ?1)"
_KEEP_HOLDING = "INSERT OR IGNORE INTO holdings VALUES (?, ?)"
_KEEP_SPAN = "INSERT INTO spans VALUES (?, ?, ?)"
_KEEP_SPAN_OF_NEW = """
    INSERT INTO spans SELECT ?1, min(number), max(number) FROM events
    WHERE number BETWEEN ?2 AND ?3 AND scene IN (SELECT number FROM scenes WHERE session = ?1) HAVING count(*) > 0
"""
_WAIT = """
    INSERT INTO mining (session, newest) VALUES (?1, ?3)
    ON CONFLICT (session) DO UPDATE SET newest = excluded.newest, version = NULL
"""
_WAIT_WITH_NEW = """
    INSERT INTO mining SELECT ?1, max(last), NULL FROM spans
    WHERE session = ?1 AND first BETWEEN ?2 AND ?3 HAVING count(*) > 0
    ON CONFLICT (session) DO UPDATE SET newest = excluded.newest, version = NULL
"""
_KEEP_TROUBLE = """
    INSERT INTO troubles VALUES (?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET count = count + 1, first_offset = min(first_offset, excluded.first_offset)
"""


class Events(Protocol):
    """What was read of sources, and how far."""

    def marks(self, agent: str) -> Mapping[str, SourceMark]:
        """How far each source of an agent was read, by path."""
        ...

    def store(self, stretches: Sequence[IndexBatch]) -> int:
        """Store them in one transaction; an event that is already there stays as it is. Returns how many were new."""
        ...

    def counts(self, selection: Selection) -> Counts:
        """What the selected sessions hold."""
        ...

    def histories(self, selection: Selection) -> Iterator[History]:
        """The selected sessions one at a time, with calls, their ends and the user's turns in the order of time.

        A call that was rejected, or whose outcome the same session does not hold, has no end.
        """
        ...

    def read_problems(self, selection: Selection) -> tuple[ReadProblemCount, ...]:
        """What could not be read in the selected sources."""
        ...

    def citations(self) -> tuple[CitedId, ...]:
        """Which ids assistants named in each session that was mined, and when last."""
        ...


class _Rows(NamedTuple):
    """What is stored together: events are numbered from behind `last` on."""

    last: int
    events: list[Row]
    texts: list[Row]
    holdings: list[Row]
    spans: list[tuple[int, int, int]]
    """Session, first and last number: the events of a session in a stretch."""


class SqliteEvents:
    """Events of every agent, and how far each source was read."""

    def __init__(self, db: SqliteDatabase, numbers: IndexNumbers) -> None:
        self._db, self._numbers = db, numbers

    def marks(self, agent: str) -> Mapping[str, SourceMark]:
        """How far each source of an agent was read, by path."""
        rows = self._db.run(
            "SELECT path, size, modified_ns, cursor FROM sources JOIN agents ON agents.number = agent WHERE name = ?",
            (pack(agent),),
        )
        whole = self._db.as_int
        return {
            unpack(str(path)): SourceMark(size=whole(size), modified_ns=whole(modified), cursor=unpack(str(cursor)))
            for path, size, modified, cursor in rows
        }

    def store(self, stretches: Sequence[IndexBatch]) -> int:
        """Store them in one transaction; an event that is already there stays as it is. Returns how many were new."""
        try:
            with self._db.transaction():
                if self._numbers.version != (version := self._db.query_int("PRAGMA data_version")):
                    self._numbers.clear()
                    self._numbers.version = version
                rows = _Rows(self._db.query_int("SELECT coalesce(max(number), 0) FROM events"), [], [], [], [])
                for stretch in stretches:
                    self._take(stretch, rows)
                new = self._db.run_many(_KEEP_EVENT, rows.events)
                all_new = new == len(rows.events)
                self._db.run_many(_KEEP_TEXT if all_new else _KEEP_TEXT_OF_NEW, rows.texts)
                self._db.run_many(_KEEP_HOLDING, rows.holdings)
                if new:
                    self._db.run_many(_KEEP_SPAN if all_new else _KEEP_SPAN_OF_NEW, rows.spans)
                    self._db.run_many(_WAIT if all_new else _WAIT_WITH_NEW, rows.spans)
                return new
        except BaseException:
            self._numbers.clear()  # those given inside a transaction that failed were never given
            raise

    def counts(self, selection: Selection) -> Counts:
        """What the selected sessions hold."""
        return count_selected(self._db, selection)

    def histories(self, selection: Selection) -> Iterator[History]:
        """The calls of each selected session with how they ended, and the user's turns, in order."""
        return histories(self._db, selection)

    def read_problems(self, selection: Selection) -> tuple[ReadProblemCount, ...]:
        """What could not be read in the selected sources."""
        return read_problems(self._db, selection)

    def citations(self) -> tuple[CitedId, ...]:
        """Which ids assistants named in each session that was mined, and when last."""
        return cited_ids(self._db)

    def _take(self, stretch: IndexBatch, rows: _Rows) -> None:
        """Store what belongs to the source itself, and put its events to those that are stored together."""
        source, numbers, shapes = self._source(stretch), self._numbers, self._numbers.shapes
        self._keep_troubles(source, stretch)
        number = rows.last + len(rows.events)
        held: dict[int, list[int]] = {}
        span: list[int] = [0, 0]
        session: SessionKey | None = None
        place = there = None
        agent = scene = 0
        for event, context, withheld in stretch.events:
            # Events in a row nearly always share these; hashing a session's fields for each costs more than the rest.
            if event.session is not session or event.place != place or context != there:
                session, place, there = event.session, event.place, context
                if isinstance(event, PROSE_EVENTS):
                    place = there = None  # nowhere: it does not make a directory one in which the session worked
                agent, scene = numbers.agent(session.agent), numbers.scene((session, there, place or ""))
                span[1] = number
                span = held.setdefault(numbers.session(session), [number + 1, 0])
            how, tool, call, text = _parts(event)
            key = type(event), event.provenance, how, tool, withheld or ""
            shape = shapes.get(key) or numbers.shape(key)
            number += 1
            rows.events.append(
                (number, agent, pack(event.id), scene, shape, milliseconds(event.at), call and pack(call))
            )
            if text is not None:
                rows.texts.append((number, pack(text)))
        span[1] = number
        rows.holdings.extend((source, each) for each in held)
        rows.spans.extend((each, first, last) for each, (first, last) in held.items())

    def _keep_troubles(self, source: int, stretch: IndexBatch) -> None:
        if stretch.from_start:
            self._db.run("DELETE FROM troubles WHERE source = ?", (source,))
        else:
            # It told how the source ended when it was last read, and that is over.
            for kind in (ReadProblemKind.UNFINISHED, ReadProblemKind.UNREADABLE):
                self._db.run("DELETE FROM troubles WHERE source = ? AND kind = ?", (source, kind.value))
        rows = [(source, trouble.kind.value, pack(trouble.detail), trouble.offset) for trouble in stretch.problems]
        self._db.run_many(_KEEP_TROUBLE, rows)

    def _source(self, stretch: IndexBatch) -> int:
        key: dict[str, Value] = {
            "agent": self._numbers.agent(stretch.source.agent),
            "path": pack(str(stretch.source.path)),
        }
        mark: dict[str, Value] = {
            "size": stretch.mark.size,
            "modified_ns": stretch.mark.modified_ns,
            "cursor": pack(stretch.mark.cursor),
        }
        path = stretch.source.agent, str(stretch.source.path)
        number = self._numbers.sources.get(path) or find_number(self._db, "sources", key)
        if number is None:
            number = add_numbered(self._db, "sources", key | mark)
        else:
            self._db.run(
                "UPDATE sources SET size = ?, modified_ns = ?, cursor = ? WHERE number = ?", (*mark.values(), number)
            )
        self._numbers.sources[path] = number
        return number


def _parts(event: Event) -> tuple[str, str, str | None, str | None]:
    """How, tool, call and text of an event; the most frequent kinds first."""
    if isinstance(event, Call):
        return "", event.tool, None, event.arguments
    if isinstance(event, Outcome):
        return event.status, "", event.call, event.text
    if isinstance(event, Message):
        return event.origin, LOCAL if event.local else "", None, event.text
    if isinstance(event, Citation):
        return "", event.name, None, None
    return "", "", None if isinstance(event, Concession) else event.call, None
