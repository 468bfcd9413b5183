"""Writes the findings of mined sessions to the index, replacing earlier ones.

Events are referred to by number and their text is not stored again, except the words of a lesson. Findings about events
that the index does not hold are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import blake2b
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.model.fix import fix_id
from wisen.store.call_summaries import summary_rows
from wisen.store.escapes import escape, milliseconds, unescape
from wisen.store.index_histories import OF_SESSION
from wisen.store.interned_rows import find_or_add_number
from wisen.store.session_tallies import tally_sessions
from wisen.store.workflow_runs import run_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.failure import CallChange, Failure, FixAttempt, Goal, SessionFindings, Signature
    from wisen.model.signal import RecordedSignal
    from wisen.store.database_port import Row, Value
    from wisen.store.sqlite import SqliteDatabase

TABLES = ("failures", "tries", "habits", "pairs", "goals", "signals", "called", "call_words", "runs")
_FORGET = tuple(f"DELETE FROM {table} WHERE session = ?" for table in TABLES)  # noqa: S608 - constant names
_NUMBERS = "SELECT id, number FROM events WHERE agent = ? AND id IN (SELECT value FROM json_each(?))"
_SAID = f"""
    SELECT e.call, e.number {OF_SESSION} JOIN shapes ON shapes.number = e.shape
    WHERE spans.session = ? AND shapes.kind = 'outcome' ORDER BY e.at, e.number
"""
_CHANGED = "INSERT OR REPLACE INTO session_changes (session) VALUES (?)"
_SEEN = "UPDATE mining SET version = ? WHERE session = ? AND newest = ? RETURNING session"


class _Rows(NamedTuple):
    """Rows that are stored together, by table."""

    failures: list[Row]
    tries: list[Row]
    habits: list[Row]
    pairs: list[Row]
    goals: list[Row]
    signals: list[Row]
    called: list[Row]
    call_words: list[Row]
    runs: list[Row]


def write_findings(
    db: SqliteDatabase, found: Sequence[SessionFindings], version: int, handed: Mapping[int, int]
) -> None:
    """In a transaction: store findings and remove the sessions from the mining queue.

    `handed` maps sessions to their last event when they were handed out: one with newer events, or never handed out,
    stays in the queue.
    """
    for statement in _FORGET:
        db.run_many(statement, [(each.session,) for each in found])
    writer = _Writer(db)
    for each in found:
        writer.add(each)
    writer.store()
    seen = {
        each.session
        for each in found
        if each.session in handed and db.run(_SEEN, (version, each.session, handed[each.session]))
    }
    tally_sessions(db, sorted(seen))
    # Those that stay in the queue have other findings now, too: totals must not count the earlier ones.
    db.run_many(_CHANGED, [(each.session,) for each in found if each.session not in seen])


def encode_deltas(numbers: Iterable[int]) -> str:
    """Encode numbers as the differences between them, which are short."""
    return f"[{','.join(str(later - earlier) for earlier, later in pairwise((0, *numbers)))}]"


def decode_deltas(text: str) -> tuple[int, ...]:
    """Decode what `encode_deltas` encoded."""
    return tuple(accumulate(json.loads(text)))


def change_digest(change: CallChange) -> int:
    """Return a number that identifies a change."""
    words = json.dumps([change.tool, change.removed, change.added, change.first])
    return int.from_bytes(blake2b(words.encode("ascii"), digest_size=8).digest(), "big", signed=True)


class _Writer:
    """Collects the rows of many sessions, and the numbers of what they share."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._rows = _Rows([], [], [], [], [], [], [], [], [])
        self._signatures: dict[Signature, int] = {}
        self._changes: dict[CallChange, int] = {}
        self._fixes: dict[tuple[Signature, CallChange], int] = {}

    def add(self, mined: SessionFindings) -> None:
        """Add the findings of a session."""
        agents = self._db.run("SELECT agent FROM sessions WHERE number = ?", (mined.session,))
        if not agents:
            return
        events = self._events(self._db.as_int(agents[0][0]), mined)
        outcomes = self._outcomes(mined) if mined.failures else {}
        session = mined.session
        self._rows.failures.extend(
            self._failure(session, each, events, outcomes) for each in mined.failures if each.call in events
        )
        self._rows.tries.extend(
            self._try(session, each, events)
            for each in mined.attempts
            if each.failure in events and each.later in events
        )
        self._rows.habits.extend((change_digest(change), session, many) for change, many in mined.habits.items())
        self._rows.pairs.extend((session, escape(tool), *pair) for tool, pair in mined.pairs.items())
        self._rows.goals.extend(_goal(session, each, events) for each in mined.goals if each.request in events)
        numbers = Counter[tuple[str, str]]()
        for each in mined.signals:
            if each.message in events:
                key = (each.message, each.signal.kind.value)
                self._rows.signals.append(_signal(session, events[each.message], numbers[key], each))
                numbers[key] += 1
        if mined.calls is not None:
            called, words = summary_rows(session, mined.calls)
            self._rows.called.append(called)
            self._rows.call_words.append(words)
        self._rows.runs.extend(run_row(run, events[run.request]) for run in mined.runs if run.request in events)

    def store(self) -> None:
        """Write everything that was collected."""
        for table, rows in zip(TABLES, self._rows, strict=True):
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self._db.run_many(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - constant names

    def _events(self, agent: int, mined: SessionFindings) -> dict[str, int]:
        """Return the numbers of all referenced events, by id."""
        names = {name for failure in mined.failures for name in (failure.call, failure.ended_by, *failure.attempts)}
        names |= {name for each in mined.attempts for name in (each.failure, each.later)}
        names |= {name for goal in mined.goals for name in (goal.request, goal.said_next, *goal.calls)}
        names |= {each.message for each in mined.signals}
        names |= {run.request for run in mined.runs}
        packed = json.dumps([escape(name) for name in names if name is not None])
        rows = self._db.run(_NUMBERS, (agent, packed))
        return {unescape(str(name)): self._db.as_int(number) for name, number in rows}

    def _outcomes(self, mined: SessionFindings) -> dict[str, int]:
        """Return the numbers of outcomes, by the id of the call."""
        rows = self._db.run(_SAID, (mined.session,))
        return {unescape(str(call)): self._db.as_int(number) for call, number in rows}

    def _failure(self, session: int, failure: Failure, events: Mapping[str, int], outcomes: Mapping[str, int]) -> Row:
        return (
            session,
            events[failure.call],
            self._signature(failure.signature),
            escape(failure.tool),
            escape(failure.command),
            escape(failure.place),
            milliseconds(failure.at),
            int(failure.masked),
            int(failure.transient),
            outcomes.get(failure.call),
            None if failure.ended_by is None else events.get(failure.ended_by),
            encode_deltas(events[call] for call in failure.attempts if call in events),
            escape(failure.trajectory),
            failure.lost_ms,
            failure.lost_tokens,
        )

    def _try(self, session: int, each: FixAttempt, events: Mapping[str, int]) -> Row:
        fix = self._fix(each.signature, each.change)
        failure, later = events[each.failure], events[each.later]
        return fix, session, failure, later, each.danger.value, int(each.worked), milliseconds(each.at)

    def _signature(self, signature: Signature) -> int:
        number = self._signatures.get(signature)
        if number is None:
            values: dict[str, Value] = {
                "key": escape(signature.key),
                "who": escape(signature.who),
                "says": escape(signature.says),
                "version": signature.version,
            }
            number = self._signatures[signature] = find_or_add_number(self._db, "signatures", values)
        return number

    def _change(self, change: CallChange) -> int:
        number = self._changes.get(change)
        if number is None:
            values = {
                "tool": escape(change.tool),
                "removed": json.dumps(change.removed),
                "added": json.dumps(change.added),
                "before": json.dumps(change.first),
            }
            number = self._changes[change] = find_or_add_number(self._db, "changes", values)
        return number

    def _fix(self, signature: Signature, change: CallChange) -> int:
        number = self._fixes.get((signature, change))
        if number is None:
            values: dict[str, Value] = {
                "id": fix_id(signature, change),
                "signature": self._signature(signature),
                "change": self._change(change),
            }
            number = self._fixes[signature, change] = find_or_add_number(self._db, "fixes", values)
        return number


def _goal(session: int, goal: Goal, events: Mapping[str, int]) -> Row:
    return (
        session,
        events[goal.request],
        milliseconds(goal.at),
        milliseconds(goal.ended),
        encode_deltas(events[call] for call in goal.calls if call in events),
        goal.failed,
        goal.ending.value,
        None if goal.said_next is None else events.get(goal.said_next),
    )


def _signal(session: int, event: int, number: int, recorded: RecordedSignal) -> Row:
    signal, lesson = recorded.signal, recorded.signal.lesson
    learnt: Row = (None,) * 8
    if lesson is not None:
        learnt = (
            escape(lesson.text),
            int(lesson.forbids),
            lesson.durable,
            int(lesson.is_durable),
            lesson.about.value,
            escape(lesson.marker),
            int(lesson.standing),
            None if lesson.trigger is None else escape(msgspec.json.encode(lesson.trigger).decode()),
        )
    return (
        session,
        event,
        signal.kind.value,
        number,
        signal.probability,
        signal.start,
        signal.end,
        signal.polarity.value,
        milliseconds(recorded.at),
        *learnt,
    )
