"""The index in a SQLite file: keeps what was read and remembers how far.

The questions it answers about what it kept are in `index_questions.py` and `index_histories.py`; what mining found is
written by `mined.py` and asked for in `mined_questions.py`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from wisen.errors import StoreDamaged, StoreError
from wisen.model.event import Call, Concession, Event, Message, Outcome, Provenance
from wisen.model.source import Mark, TroubleKind
from wisen.store import index_removal
from wisen.store.dialect import REPAIR
from wisen.store.escapes import milliseconds, pack, unpack
from wisen.store.index_histories import histories, unmined
from wisen.store.index_questions import counts, troubles
from wisen.store.memories import SqliteMemories
from wisen.store.mined import keep_mined
from wisen.store.mined_questions import evidence, failures, fixes, goals, signals
from wisen.store.model_answers import SqliteAnswers
from wisen.store.numbered import add, find, number_of
from wisen.store.sqlite import damaged
from wisen.store.sqlite_files import INDEX, names_in, open_file, set_aside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from wisen.model.archive import Stored
    from wisen.model.event import SessionKey
    from wisen.model.failure import Goal, Mined
    from wisen.model.fix import Evidence, FailureKind, Fix
    from wisen.model.history import History
    from wisen.model.report import Counts, Selection
    from wisen.model.signal import Sighting
    from wisen.model.source import TroubleCount
    from wisen.model.tombstone import Trace
    from wisen.store.dialect import Row, Value
    from wisen.store.index_port import Stretch
    from wisen.store.sqlite import SqliteDatabase
    from wisen.system.ports import Clock

_Shape: TypeAlias = tuple[type[Event], Provenance, str, str, str]
"""Kind, provenance, how, tool and withheld of an event."""

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


def open_index(path: Path, *, clock: Clock, busy: float = 10.0) -> tuple[SqliteIndex, str | None]:
    """The index in a file, made new if there is none; a damaged one is set aside, and the sentence says so.

    Raises: StoreNewer, StoreReadOnly, StoreBusy, StoreError.
    """
    try:
        return SqliteIndex(open_file(path, INDEX, busy=busy), clock, busy), None
    except StoreDamaged as error:
        warning = begin_anew(path, error, clock.now())
        return SqliteIndex(open_file(path, INDEX, busy=busy), clock, busy), warning


def begin_anew(path: Path, error: StoreDamaged, now: datetime) -> str:
    """Set a damaged index aside, so that a new one is made; returns the sentence that says so."""
    aside = set_aside(path, now)
    why = str(error).removesuffix(f" {REPAIR}")  # nothing is left to repair by hand
    return f"{why} It is built again from the logs; the damaged file is now {aside}."


class _Rows(NamedTuple):
    """What is stored together: events are numbered from behind `last` on."""

    last: int
    events: list[Row]
    texts: list[Row]
    holdings: list[Row]
    spans: list[tuple[int, int, int]]
    """Session, first and last number: the events of a session in a stretch."""


class SqliteIndex(SqliteAnswers):
    """Events of every agent, and how far each source was read."""

    def __init__(self, db: SqliteDatabase, clock: Clock, busy: float = 10.0) -> None:
        self._clock, self._busy = clock, busy
        self._begin(db)

    def _begin(self, db: SqliteDatabase) -> None:
        self._db = db
        self.memories = SqliteMemories(db)
        self._agents: dict[str, int] = {}
        self._sources: dict[tuple[str, str], int] = {}
        self._sessions: dict[SessionKey, int] = {}
        self._scenes: dict[tuple[SessionKey, str | None, str], int] = {}
        self._shapes: dict[_Shape, int] = {}
        self._version = -1
        """SQLite's number for what other connections wrote: where it changed, numbers of ours may be gone."""
        self._handed: dict[int, int] = {}
        """By session, the last event it held when it was handed out to be mined."""

    def marks(self, agent: str) -> Mapping[str, Mark]:
        """How far each source of an agent was read, by path."""
        rows = self._db.run(
            "SELECT path, size, modified_ns, cursor FROM sources JOIN agents ON agents.number = agent WHERE name = ?",
            (pack(agent),),
        )
        whole = self._db.whole
        return {
            unpack(str(path)): Mark(size=whole(size), modified_ns=whole(modified), cursor=unpack(str(cursor)))
            for path, size, modified, cursor in rows
        }

    def keep(self, stretches: Sequence[Stretch]) -> int:
        """Store them in one transaction; an event that is already there stays as it is. Returns how many were new."""
        try:
            with self._db.transaction():
                if self._version != (version := self._db.number("PRAGMA data_version")):
                    self._forget_numbers()
                    self._version = version
                rows = _Rows(self._db.number("SELECT coalesce(max(number), 0) FROM events"), [], [], [], [])
                for stretch in stretches:
                    self._take(stretch, rows)
                new = self._db.many(_KEEP_EVENT, rows.events)
                all_new = new == len(rows.events)
                self._db.many(_KEEP_TEXT if all_new else _KEEP_TEXT_OF_NEW, rows.texts)
                self._db.many(_KEEP_HOLDING, rows.holdings)
                if new:
                    self._db.many(_KEEP_SPAN if all_new else _KEEP_SPAN_OF_NEW, rows.spans)
                    self._db.many(_WAIT if all_new else _WAIT_WITH_NEW, rows.spans)
                return new
        except BaseException:
            self._forget_numbers()  # those given inside a transaction that failed were never given
            raise

    def counts(self, selection: Selection) -> Counts:
        """What the selected sessions hold."""
        return counts(self._db, selection)

    def histories(self, selection: Selection) -> Iterator[History]:
        """The calls of each selected session with how they ended, and the user's turns, in order."""
        return histories(self._db, selection)

    def troubles(self, selection: Selection) -> tuple[TroubleCount, ...]:
        """What could not be read in the selected sources."""
        return troubles(self._db, selection)

    def unmined(self, version: int) -> Iterator[History]:
        """The sessions that this version of the miner has not seen as they are now, one at a time."""
        return unmined(self._db, version, self._handed)

    def mined(self, found: Sequence[Mined], version: int) -> None:
        """Keep what sessions taught, in one transaction and in place of what they taught before."""
        with self._db.transaction():
            keep_mined(self._db, found, version, self._handed)
        for each in found:
            self._handed.pop(each.session, None)

    def again(self, sessions: Collection[int]) -> None:
        """Have sessions mined anew."""
        with self._db.transaction():
            rows = [(session,) for session in sorted(sessions)]
            self._db.many("UPDATE mining SET version = NULL WHERE session = ?", rows)

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """What went wrong, by signature; what went away by itself counts from `alive` on."""
        return failures(self._db, selection, alive)

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """The changes that made failing calls work, those of most sessions first."""
        return fixes(self._db, selection)

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Every time a fix was tried, newest first; the beginning of its id is enough where only one begins so."""
        return evidence(self._db, fix_id)

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """What was asked for in the selected sessions and how it went, oldest first."""
        return goals(self._db, selection)

    def signals(self, selection: Selection) -> tuple[Sighting, ...]:
        """What the user said about the work in the selected sessions, newest first."""
        return signals(self._db, selection)

    def traces(self) -> Iterator[Trace]:
        """Every text that is held because of an event, and what was worked out of it."""
        return index_removal.traces(self._db)

    def veil(self, events: Collection[tuple[str, str]]) -> int:
        """Take the texts of events away, by agent and id, and whatever was worked out of their sessions."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            many, sessions = index_removal.veil(self._db, events)
            self.memories.forget([f"session:{session}" for session in sessions])
        return many

    def drop(self, scope: str, until: datetime) -> None:
        """Take away the sessions that are wholly within a scope, and veil what else happened there until a moment."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            sessions = index_removal.within(self._db, scope)
            self.memories.forget([f"session:{session}" for session in sessions])
            index_removal.drop(self._db, sessions)
        self._forget_numbers()
        self._handed.clear()
        self.veil(index_removal.happened(self._db, scope, until))

    def stored(self) -> tuple[Stored, ...]:
        """Every session that is held."""
        return index_removal.stored(self._db)

    def let_go(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Take away whole sessions, by agent, id and segment, and whatever was worked out of them."""
        self._db.run("PRAGMA secure_delete = ON")
        with self._db.transaction():
            numbers = index_removal.numbers_of(self._db, sessions)
            self.memories.forget([f"session:{number}" for number in sorted(numbers)])
            index_removal.drop(self._db, numbers)
        self._forget_numbers()
        self._handed.clear()

    def move_context(self, old: str, new: str) -> None:
        """What happened in one context happened in another."""
        with self._db.transaction():
            index_removal.move_context(self._db, old, new)
            self._forget_numbers()

    def unveil(self, events: Collection[tuple[str, str]]) -> None:
        """Drop the stubs of events, or of none all that was dropped, and have their sources read again."""
        with self._db.transaction():
            if not events:
                index_removal.unread(self._db)
            sessions = index_removal.unveil(self._db, events)
            self.memories.forget([f"session:{session}" for session in sessions])

    def scrub(self) -> None:
        """Leave no byte of what was deleted in the files of the store."""
        index_removal.scrub(self._db)

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        self._db.verify("quick_check")
        missing = sorted(names_in(INDEX) - self._db.names())
        if missing:
            raise damaged(self._db.path, f"parts of it are gone: {', '.join(missing)}")

    def rebuild(self, error: StoreDamaged) -> str | None:
        """Where this index is what is damaged: set it aside and begin anew; returns what there is to tell."""
        if not str(error).startswith(self._db.place):
            return None
        with suppress(StoreError):  # what is damaged may not even be closed well
            self._db.close()
        told = begin_anew(self._db.path, error, self._clock.now())
        self._begin(open_file(self._db.path, INDEX, busy=self._busy))
        return told

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def _forget_numbers(self) -> None:
        for numbers in (self._agents, self._sources, self._sessions, self._scenes, self._shapes):
            numbers.clear()

    def _take(self, stretch: Stretch, rows: _Rows) -> None:
        """Store what belongs to the source itself, and put its events to those that are stored together."""
        source = self._source(stretch)
        self._keep_troubles(source, stretch)
        number = rows.last + len(rows.events)
        held: dict[int, list[int]] = {}
        span: list[int] = [0, 0]
        session: SessionKey | None = None
        place = there = None
        agent = scene = 0
        for event, context, withheld in stretch.kept:
            # Events in a row nearly always share these; hashing a session's fields for each costs more than the rest.
            if event.session is not session or event.place != place or context != there:
                session, place, there = event.session, event.place, context
                if isinstance(event, Concession):
                    place = there = None  # nowhere: it does not make a directory one in which the session worked
                agent, scene = self._agent(session.agent), self._scene((session, there, place or ""))
                span[1] = number
                span = held.setdefault(self._session(session), [number + 1, 0])
            how, tool, call, text = _parts(event)
            key = type(event), event.provenance, how, tool, withheld or ""
            shape = self._shapes.get(key) or self._shape(key)
            number += 1
            rows.events.append(
                (number, agent, pack(event.id), scene, shape, milliseconds(event.at), call and pack(call))
            )
            if text is not None:
                rows.texts.append((number, pack(text)))
        span[1] = number
        rows.holdings.extend((source, each) for each in held)
        rows.spans.extend((each, first, last) for each, (first, last) in held.items())

    def _keep_troubles(self, source: int, stretch: Stretch) -> None:
        if stretch.afresh:
            self._db.run("DELETE FROM troubles WHERE source = ?", (source,))
        else:
            # It told how the source ended when it was last read, and that is over.
            for kind in (TroubleKind.UNFINISHED, TroubleKind.UNREADABLE):
                self._db.run("DELETE FROM troubles WHERE source = ? AND kind = ?", (source, kind.value))
        rows = [(source, trouble.kind.value, pack(trouble.detail), trouble.offset) for trouble in stretch.troubles]
        self._db.many(_KEEP_TROUBLE, rows)

    def _source(self, stretch: Stretch) -> int:
        key: dict[str, Value] = {"agent": self._agent(stretch.source.agent), "path": pack(str(stretch.source.path))}
        mark: dict[str, Value] = {
            "size": stretch.mark.size,
            "modified_ns": stretch.mark.modified_ns,
            "cursor": pack(stretch.mark.cursor),
        }
        path = stretch.source.agent, str(stretch.source.path)
        number = self._sources.get(path) or find(self._db, "sources", key)
        if number is None:
            number = add(self._db, "sources", key | mark)
        else:
            self._db.run(
                "UPDATE sources SET size = ?, modified_ns = ?, cursor = ? WHERE number = ?", (*mark.values(), number)
            )
        self._sources[path] = number
        return number

    def _agent(self, name: str) -> int:
        number = self._agents.get(name)
        if number is None:
            number = self._agents[name] = number_of(self._db, "agents", {"name": pack(name)})
        return number

    def _session(self, key: SessionKey) -> int:
        number = self._sessions.get(key)
        if number is None:
            values: dict[str, Value] = {
                "agent": self._agent(key.agent),
                "native": pack(key.native),
                "segment": key.segment,
            }
            number = self._sessions[key] = number_of(self._db, "sessions", values)
        return number

    def _scene(self, key: tuple[SessionKey, str | None, str]) -> int:
        number = self._scenes.get(key)
        if number is None:
            session, context, place = key
            values: dict[str, Value] = {
                "session": self._session(session),
                "context": pack(context or ""),
                "place": pack(place),
            }
            number = self._scenes[key] = number_of(self._db, "scenes", values)
        return number

    def _shape(self, key: _Shape) -> int:
        kind, *rest = key
        values = zip(("provenance", "how", "tool", "withheld"), map(pack, map(str, rest)), strict=True)
        number = self._shapes[key] = number_of(self._db, "shapes", {"kind": kind.__name__.lower(), **dict(values)})
        return number


def _parts(event: Event) -> tuple[str, str, str | None, str | None]:
    """How, tool, call and text of an event; the most frequent kinds first."""
    if isinstance(event, Call):
        return "", event.tool, None, event.arguments
    if isinstance(event, Outcome):
        return event.status, "", event.call, event.text
    if isinstance(event, Message):
        return event.origin, "", None, event.text
    return "", "", None if isinstance(event, Concession) else event.call, None
