"""Events in the index and how far each source was read: the port, and its SQLite implementation.

Counting queries are in `event_queries.py`, and session histories in `index_histories.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.model.event import PROSE_EVENTS, Call, Citation, Concession, Event, Message, Outcome
from wisen.model.source import ReadProblemKind, SourceMark
from wisen.store.escapes import escape, milliseconds, unescape
from wisen.store.event_queries import cited_ids, count_selected, read_problems
from wisen.store.index_histories import LOCAL, hand_out, histories, unmined_sessions
from wisen.store.interned_rows import add_numbered, find_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.model.citation import CitedId
    from wisen.model.event import SessionKey
    from wisen.model.history import History
    from wisen.model.index_batch import IndexBatch
    from wisen.model.report import Counts, Selection
    from wisen.model.source import ReadProblemCount
    from wisen.store.database_port import Row, Value
    from wisen.store.index_numbers import IndexNumbers
    from wisen.store.sqlite import SqliteDatabase

_ADD_EVENT = "INSERT OR IGNORE INTO events VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_TEXT = "INSERT INTO texts VALUES (?, ?)"
_ADD_TEXT_OF_NEW = "INSERT INTO texts SELECT ?1, ?2 WHERE EXISTS (SELECT 1 FROM events WHERE number = ?1)"
_ADD_HOLDING = "INSERT OR IGNORE INTO holdings VALUES (?, ?)"
_ADD_SPAN = "INSERT INTO spans VALUES (?, ?, ?)"
_ADD_SPAN_OF_NEW = """
    INSERT INTO spans SELECT ?1, min(number), max(number) FROM events
    WHERE number BETWEEN ?2 AND ?3 AND scene IN (SELECT number FROM scenes WHERE session = ?1) HAVING count(*) > 0
"""
_QUEUE_MINING = """
    INSERT INTO mining (session, newest) VALUES (?1, ?3)
    ON CONFLICT (session) DO UPDATE SET newest = excluded.newest, version = NULL
"""
_QUEUE_MINING_WITH_NEW = """
    INSERT INTO mining SELECT ?1, max(last), NULL FROM spans
    WHERE session = ?1 AND first BETWEEN ?2 AND ?3 HAVING count(*) > 0
    ON CONFLICT (session) DO UPDATE SET newest = excluded.newest, version = NULL
"""
_ADD_PROBLEM = """
    INSERT INTO troubles VALUES (?, ?, ?, 1, ?)
    ON CONFLICT DO UPDATE SET count = count + 1, first_offset = min(first_offset, excluded.first_offset)
"""


class Events(Protocol):
    """The events read from sources, and how far each was read."""

    def marks(self, agent: str) -> Mapping[str, SourceMark]:
        """Return how far each source of an agent was read, by path."""
        ...

    def store(self, batches: Sequence[IndexBatch]) -> int:
        """Store batches in one transaction; events already there are kept. Returns how many events were new."""
        ...

    def counts(self, selection: Selection) -> Counts:
        """Return counts over the selected sessions."""
        ...

    def unmined(self, version: int) -> Sequence[int]:
        """Return the numbers of the sessions that `Findings.take_unmined` would yield, and count them as taken."""
        ...

    def histories(self, selection: Selection) -> Iterator[History]:
        """Yield the selected sessions, with calls, outcomes and the user's turns in chronological order.

        A call that was rejected, or without an outcome in the same session, has no status.
        """
        ...

    def read_problems(self, selection: Selection) -> tuple[ReadProblemCount, ...]:
        """Return what could not be read in the selected sources."""
        ...

    def citations(self) -> tuple[CitedId, ...]:
        """Return the ids that assistants mentioned in each mined session, and when last."""
        ...


class _Rows(NamedTuple):
    """Rows that are stored together: events are numbered from `last` + 1."""

    last: int
    events: list[Row]
    texts: list[Row]
    holdings: list[Row]
    spans: list[tuple[int, int, int]]
    """Session, first and last number: the events of a session in a batch."""


class SqliteEvents:
    """The events of every agent, and how far each source was read."""

    def __init__(self, db: SqliteDatabase, numbers: IndexNumbers) -> None:
        self._db, self._numbers = db, numbers

    def marks(self, agent: str) -> Mapping[str, SourceMark]:
        """Return how far each source of an agent was read, by path."""
        rows = self._db.run(
            "SELECT path, size, modified_ns, cursor FROM sources JOIN agents ON agents.number = agent WHERE name = ?",
            (escape(agent),),
        )
        whole = self._db.as_int
        return {
            unescape(str(path)): SourceMark(size=whole(size), modified_ns=whole(modified), cursor=unescape(str(cursor)))
            for path, size, modified, cursor in rows
        }

    def store(self, batches: Sequence[IndexBatch]) -> int:
        """Store batches in one transaction; events already there are kept. Returns how many events were new."""
        try:
            with self._db.transaction():
                if self._numbers.version != (version := self._db.query_int("PRAGMA data_version")):
                    self._numbers.clear()
                    self._numbers.version = version
                self._numbers.limit()
                rows = _Rows(self._db.query_int("SELECT coalesce(max(number), 0) FROM events"), [], [], [], [])
                for batch in batches:
                    self._collect(batch, rows)
                new = self._db.run_many(_ADD_EVENT, rows.events)
                all_new = new == len(rows.events)
                self._db.run_many(_ADD_TEXT if all_new else _ADD_TEXT_OF_NEW, rows.texts)
                self._db.run_many(_ADD_HOLDING, rows.holdings)
                if new:
                    self._db.run_many(_ADD_SPAN if all_new else _ADD_SPAN_OF_NEW, rows.spans)
                    self._db.run_many(_QUEUE_MINING if all_new else _QUEUE_MINING_WITH_NEW, rows.spans)
                return new
        except BaseException:
            self._numbers.clear()  # numbers assigned in a failed transaction do not exist
            raise

    def counts(self, selection: Selection) -> Counts:
        """Return counts over the selected sessions."""
        return count_selected(self._db, selection)

    def unmined(self, version: int) -> Sequence[int]:
        """Return the sessions that are to be mined, and note their last events."""
        handed, sessions = self._numbers.handed_out, unmined_sessions(self._db, version)
        return [each for each in sessions if hand_out(self._db, version, handed, each)]

    def histories(self, selection: Selection) -> Iterator[History]:
        """Yield the selected sessions, with calls, outcomes and the user's turns in order."""
        return histories(self._db, selection)

    def read_problems(self, selection: Selection) -> tuple[ReadProblemCount, ...]:
        """Return what could not be read in the selected sources."""
        return read_problems(self._db, selection)

    def citations(self) -> tuple[CitedId, ...]:
        """Return the ids that assistants mentioned in each mined session, and when last."""
        return cited_ids(self._db)

    def _collect(self, batch: IndexBatch, rows: _Rows) -> None:
        """Store the source's own rows, and add its events to the rows that are stored together."""
        source, numbers, shapes = self._source(batch), self._numbers, self._numbers.shapes
        self._store_problems(source, batch)
        number = rows.last + len(rows.events)
        spans: dict[int, list[int]] = {}
        span: list[int] = [0, 0]
        session: SessionKey | None = None
        place = current_context = None
        agent = scene = 0
        for event, context, withheld in batch.events:
            # Consecutive events nearly always share these; hashing a session's fields for each would cost the most.
            if event.session is not session or event.place != place or context != current_context:
                session, place, current_context = event.session, event.place, context
                if isinstance(event, PROSE_EVENTS):
                    place = current_context = None  # no directory: prose does not count as work in one
                agent, scene = numbers.agent(session.agent), numbers.scene((session, current_context, place or ""))
                span[1] = number
                span = spans.setdefault(numbers.session(session), [number + 1, 0])
            how, tool, call, text = _parts(event)
            key = type(event), event.provenance, how, tool, withheld or ""
            shape = shapes.get(key) or numbers.shape(key)
            number += 1
            rows.events.append(
                (number, agent, escape(event.id), scene, shape, milliseconds(event.at), call and escape(call))
            )
            if text is not None:
                rows.texts.append((number, escape(text)))
        span[1] = number
        rows.holdings.extend((source, each) for each in spans)
        rows.spans.extend((each, first, last) for each, (first, last) in spans.items())

    def _store_problems(self, source: int, batch: IndexBatch) -> None:
        if batch.from_start:
            self._db.run("DELETE FROM troubles WHERE source = ?", (source,))
        else:
            # These describe how the source ended when it was last read, which is outdated.
            for kind in (ReadProblemKind.UNFINISHED, ReadProblemKind.UNREADABLE):
                self._db.run("DELETE FROM troubles WHERE source = ? AND kind = ?", (source, kind.value))
        rows = [(source, problem.kind.value, escape(problem.detail), problem.offset) for problem in batch.problems]
        self._db.run_many(_ADD_PROBLEM, rows)

    def _source(self, batch: IndexBatch) -> int:
        key: dict[str, Value] = {
            "agent": self._numbers.agent(batch.source.agent),
            "path": escape(batch.source.file),
        }
        mark: dict[str, Value] = {
            "size": batch.mark.size,
            "modified_ns": batch.mark.modified_ns,
            "cursor": escape(batch.mark.cursor),
        }
        path = batch.source.agent, batch.source.file
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
    """Return how, tool, call and text of an event; the most frequent kinds first."""
    if isinstance(event, Call):
        return "", event.tool, None, event.arguments
    if isinstance(event, Outcome):
        return event.status, "", event.call, event.text
    if isinstance(event, Message):
        return event.origin, LOCAL if event.local else "", None, event.text
    if isinstance(event, Citation):
        return "", event.name, None, None
    return "", "", None if isinstance(event, Concession) else event.call, None
