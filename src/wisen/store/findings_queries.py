"""Queries mining results in the index: failures, fixes with their evidence, goals and signals."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec
from msgspec import structs

from wisen.model.directive import Trigger
from wisen.model.failure import CallChange, Ending, Goal, Signature
from wisen.model.fix import Danger, Evidence, FailureKind, Fix
from wisen.model.signal import (
    IN_DOUBT,
    Lesson,
    LessonTopic,
    Polarity,
    RecordedSignal,
    Signal,
    SignalKind,
    SourcedSignal,
)
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.findings_writer import change_digest, decode_deltas
from wisen.store.index_histories import LOCAL
from wisen.store.index_selection import report_garbled, sql_selection
from wisen.store.sqlite import as_float

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from wisen.model.report import Selection
    from wisen.store.database_port import Row, Value
    from wisen.store.index_selection import SqlSelection
    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
_FAILURES = """
    SELECT signature, tool, count(*), sum(masked), sum(ended_by IS NOT NULL), sum(lost_ms), sum(lost_tokens),
        min(at), max(at)
    FROM failures f WHERE {found} AND {alive} GROUP BY signature, tool
"""
_FAILURE_SESSIONS = """
    SELECT signature, count(DISTINCT session) FROM failures f WHERE {found} AND {alive} GROUP BY signature
"""
_SIGNATURES = """
    SELECT number, key, who, says, version FROM signatures WHERE number IN (SELECT value FROM json_each(?))
"""
_RANKS = " ".join(f"WHEN '{danger.value}' THEN {rank}" for rank, danger in enumerate(Danger))
_TRIED = f"""
    SELECT fix, session, failure, max(worked) AS worked, max(at) AS newest,
        max(CASE worked WHEN 1 THEN CASE danger {_RANKS} ELSE 'unknown' END END) AS danger,
        min(CASE worked WHEN 1 THEN at END) AS first, max(CASE worked WHEN 1 THEN at END) AS last
    FROM tries t WHERE {{found}} GROUP BY fix, session, failure
"""  # noqa: S608
_TRIED_IN_SESSION = f"""
    SELECT fix, max(worked) AS worked, sum(worked) AS calls, max(newest) AS newest, max(danger) AS danger,
        min(first) AS first, max(last) AS last, sum(lost_ms) AS lost_ms, sum(lost_tokens) AS lost_tokens
    FROM (
        SELECT tried.*, f.lost_ms, f.lost_tokens FROM ({_TRIED}) tried
        LEFT JOIN failures f ON f.session = tried.session AND f.call = failure AND worked = 1
    ) GROUP BY fix, session
"""  # noqa: S608
_FIXES = f"""
    SELECT fixes.id, fixes.signature, fixes.change, sum(worked), sum(calls), sum(worked = 0), max(danger), min(first),
        max(last), max(newest), coalesce(sum(lost_ms), 0), coalesce(sum(lost_tokens), 0), fixes.number
    FROM ({_TRIED_IN_SESSION}) JOIN fixes ON fixes.number = fix GROUP BY fix HAVING max(worked) = 1
"""  # noqa: S608
_EXAMPLES = """
    SELECT fix, before.text, after.text, said.text FROM tries t
    LEFT JOIN texts before ON before.event = failure LEFT JOIN texts after ON after.event = later
    LEFT JOIN failures f ON f.session = t.session AND f.call = failure LEFT JOIN texts said ON said.event = f.said
    WHERE worked AND {found} AND (fix, t.at) IN (SELECT fix, max(at) FROM tries t WHERE worked AND {found} GROUP BY fix)
    ORDER BY fix, later, failure
"""
_CHANGES = "SELECT number, tool, removed, added, before FROM changes WHERE number IN (SELECT value FROM json_each(?))"
_HABITS = """
    SELECT change, sum(many) FROM habits
    WHERE change IN (SELECT value FROM json_each(:changes)) AND {lively} GROUP BY change
"""
_PAIRS = "SELECT tool, sum(after_success), sum(after_failure) FROM pairs WHERE {lively} GROUP BY tool"
_NAMED = """
    SELECT DISTINCT id FROM fixes WHERE id >= ?1 AND id < ?1 || char(1114111) AND substr(id, 1, length(?1)) = ?1
    AND EXISTS (SELECT 1 FROM tries WHERE fix = number AND worked) LIMIT 2
"""
_EVIDENCE = """
    SELECT agents.name, sessions.native, t.at, before.text, after.text, said.text, f.trajectory, worked,
        failed.id, scenes.context
    FROM fixes JOIN tries t ON fix = fixes.number
    JOIN sessions ON sessions.number = t.session JOIN agents ON agents.number = sessions.agent
    LEFT JOIN failures f ON f.session = t.session AND f.call = t.failure
    LEFT JOIN texts before ON before.event = t.failure LEFT JOIN texts after ON after.event = t.later
    LEFT JOIN texts said ON said.event = f.said
    LEFT JOIN events failed ON failed.number = t.failure LEFT JOIN scenes ON scenes.number = failed.scene
    WHERE fixes.id = ? ORDER BY t.at DESC, t.later DESC, t.failure DESC
"""
_GOALS = """
    SELECT request, said_next, calls, at, ended, failed, ending FROM goals g WHERE {found} ORDER BY at, request
"""
_SIGNALS = """
    SELECT agents.name, sessions.native, s.session, events.id, s.at, texts.text, scenes.context, shapes.tool,
        s.kind, probability, first, last, polarity, lesson, forbids, durable, is_durable, about,
        marker, standing, called_up_by
    FROM signals s LEFT JOIN events ON events.number = s.event LEFT JOIN texts ON texts.event = s.event
    LEFT JOIN scenes ON scenes.number = events.scene LEFT JOIN shapes ON shapes.number = events.shape
    JOIN sessions ON sessions.number = s.session JOIN agents ON agents.number = sessions.agent
    WHERE {found} AND coalesce(s.kind = :kind, 1) ORDER BY s.at DESC, s.event DESC, s.kind, s.session, s.number
"""
_SIGNAL_COUNTS = """
    SELECT kind, count(DISTINCT s.event) FROM signals s
    WHERE {found} AND NOT (lesson IS NOT NULL AND probability <= :doubt) GROUP BY kind, s.session
"""
_IDS = "SELECT number, id FROM events WHERE number IN (SELECT value FROM json_each(?))"

_CHUNK = 200
"""How many goals' events are looked up together."""


def failures(db: SqliteDatabase, selection: Selection, alive: datetime | None) -> tuple[FailureKind, ...]:
    """Return failures by signature; transient ones count from `alive` on."""
    selected = sql_selection(selection)
    values, still = dict(selected.values), "1"
    if alive is not None:
        values["alive"] = milliseconds(alive)
        still = "(transient = 0 OR at >= :alive)"
    conditions = {"found": selected.findings("f"), "alive": still}
    with report_garbled(db):
        sessions = _table(db.run(_FAILURE_SESSIONS.format(**conditions), values))
        by_tool: dict[int, list[Any]] = defaultdict(list)
        for signature, tool, *sums in cast("list[Any]", db.run(_FAILURES.format(**conditions), values)):
            by_tool[signature].append((tool, *map(db.as_int, sums)))
        signatures = _signatures(db, by_tool)
        kinds = [_kind(signatures[number], sessions[number][0], rows) for number, rows in by_tool.items()]
    return tuple(
        sorted(kinds, key=lambda each: (-each.sessions, -each.calls, each.signature.description, each.signature))
    )


def _kind(signature: Signature, sessions: int, rows: list[Any]) -> FailureKind:
    tools, calls, masked, overcome, lost_ms, lost_tokens, first, last = zip(*rows, strict=True)
    return FailureKind(
        signature=signature,
        tool=min(zip((-many for many in calls), map(unescape, tools), strict=True))[1],
        calls=sum(calls),
        masked=sum(masked),
        sessions=sessions,
        overcome=sum(overcome),
        lost_ms=sum(lost_ms),
        lost_tokens=sum(lost_tokens),
        first=from_milliseconds(min(first)),
        last=from_milliseconds(max(last)),
    )


class NumberedFix(NamedTuple):
    """A fix as the index has it."""

    fix: Fix
    number: int
    change: int
    """The number of its change."""


def fixes(db: SqliteDatabase, selection: Selection) -> tuple[Fix, ...]:
    """Return the changes that made failing calls work, most sessions first."""
    selected = sql_selection(selection)
    with report_garbled(db):
        found = numbered_fixes(db, selected.findings("t"), selected.values)
        chance = Chance(db, {each.change: each.fix.change for each in found}, selected)
        return sort_fixes(structs.replace(each.fix, by_chance=chance.of(each.change)) for each in found)


def numbered_fixes(db: SqliteDatabase, condition: str, values: Mapping[str, Value]) -> list[NumberedFix]:
    """Return the fixes of the tries (`t`) for which a condition holds, as if none had come about by chance."""
    rows = cast("list[Any]", db.run(_FIXES.format(found=condition), values))
    signatures = _signatures(db, {row[1] for row in rows})
    changes = _changes(db, {row[2] for row in rows})
    # The newest of several at the same moment comes last, and is kept.
    examples = _table(db.run(_EXAMPLES.format(found=condition), values))
    found = []
    for name, *numbers in rows:
        # The sum of non-numeric values is NULL.
        signature, change, sessions, calls, failed_again, *rest = map(db.as_int, numbers)
        danger, first, last, newest, lost_ms, lost_tokens, number = rest
        before, after, said = examples[number]
        fix = Fix(
            id=unescape(name),
            signature=signatures[signature],
            change=changes[change],
            before=unescape(before or ""),
            after=unescape(after or ""),
            said=unescape(said or ""),
            sessions=sessions,
            calls=calls,
            failed_again=failed_again,
            by_chance=0.0,
            danger=list(Danger)[danger],
            lost_ms=lost_ms,
            lost_tokens=lost_tokens,
            first=from_milliseconds(first),
            last=from_milliseconds(last),
            last_worked=last == newest,
        )
        found.append(NumberedFix(fix, number, change))
    return found


def sort_fixes(found: Iterable[Fix]) -> tuple[Fix, ...]:
    """Return fixes in the order in which they are listed: most sessions first."""
    return tuple(sorted(found, key=lambda each: (-each.sessions, -each.calls, each.id, each.signature)))


def evidence(db: SqliteDatabase, fix_id: str) -> tuple[Evidence, ...]:
    """Return every attempt of a fix, newest first; empty if no fix or several have this id prefix."""
    fixes = db.run(_NAMED, (escape(fix_id),))
    if len(fixes) != 1:
        return ()
    with report_garbled(db):
        return tuple(read_evidence(*cast("tuple[Any, ...]", row)) for row in db.run(_EVIDENCE, fixes[0]))


def goals(db: SqliteDatabase, selection: Selection) -> Iterator[Goal]:
    """Yield the goals of the selected sessions and how they ended, oldest first."""
    selected = sql_selection(selection)
    rows = db.stream(_GOALS.format(found=selected.findings("g")), selected.values)
    while some := list(islice(rows, _CHUNK)):
        with report_garbled(db):
            found = list(_goals(db, some))
        yield from found


def _goals(db: SqliteDatabase, rows: list[Row]) -> Iterator[Goal]:
    calls = [decode_deltas(cast("str", row[2])) for row in rows]
    numbers = {number for row, of_one in zip(rows, calls, strict=True) for number in (*row[:2], *of_one)}
    ids = {number: unescape(name) for number, (name,) in _named_by(db, _IDS, numbers).items()}
    for row, of_one in zip(cast("list[Any]", rows), calls, strict=True):
        request, said_next, _, at, ended, failed, ending = row
        yield Goal(
            request=ids[request],
            at=from_milliseconds(at),
            ended=from_milliseconds(ended),
            calls=tuple(ids[call] for call in of_one),
            failed=db.as_int(failed),
            ending=Ending(ending),
            said_next=None if said_next is None else ids[said_next],
        )


def signals(db: SqliteDatabase, selection: Selection, kind: SignalKind | None = None) -> tuple[SourcedSignal, ...]:
    """Return the user's signals of one kind or of all, newest first."""
    selected = sql_selection(selection)
    with report_garbled(db):
        rows = db.run(_SIGNALS.format(found=selected.findings("s")), {**selected.values, "kind": kind})
        return tuple(_sighting(db, *cast("tuple[Any, ...]", row)) for row in rows)


def count_signals(db: SqliteDatabase, selection: Selection) -> dict[SignalKind, int]:
    """Count the turns of each kind of signal, the most frequent first."""
    selected = sql_selection(selection)
    counts = Counter[SignalKind]()
    with report_garbled(db):
        for kind, turns in db.run(
            _SIGNAL_COUNTS.format(found=selected.findings("s")), {**selected.values, "doubt": IN_DOUBT}
        ):
            counts[SignalKind(str(kind))] += db.as_int(turns)
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _sighting(db: SqliteDatabase, *row: Any) -> SourcedSignal:
    from wisen.safety.passages import own_words

    agent, native, session, message, at, text, context, to, *signal = row
    return SourcedSignal(
        agent=unescape(agent),
        native=unescape(native),
        session=session,
        said=RecordedSignal(message=unescape(message), at=from_milliseconds(at), signal=_signal(db, *signal)),
        text=own_words(unescape(text or "")),
        context=unescape(context or ""),
        local=to == LOCAL,
    )


def _signal(db: SqliteDatabase, *row: Any) -> Signal:
    kind, probability, start, end, polarity, *learnt = row
    return Signal(
        kind=SignalKind(kind),
        probability=as_float(db, probability),
        start=db.as_int(start),
        end=db.as_int(end),
        polarity=Polarity(polarity),
        lesson=None if learnt[0] is None else _lesson(db, *learnt),
    )


def _lesson(db: SqliteDatabase, *row: Any) -> Lesson:
    text, forbids, durable, is_durable, about, marker, standing, trigger = row
    return Lesson(
        text=unescape(text),
        forbids=bool(db.as_int(forbids)),
        durable=as_float(db, durable),
        is_durable=bool(db.as_int(is_durable)),
        about=LessonTopic(about),
        marker=unescape(marker or ""),
        standing=bool(db.as_int(standing)),
        trigger=None if trigger is None else msgspec.json.decode(unescape(trigger), type=Trigger),
    )


def read_evidence(*row: Any) -> Evidence:
    """Build one attempt of a fix from its row."""
    agent, session, at, before, after, said, trajectory, worked, call, context = row
    return Evidence(
        agent=unescape(agent),
        session=unescape(session),
        at=from_milliseconds(at),
        before=unescape(before or ""),
        after=unescape(after or ""),
        said=unescape(said or ""),
        trajectory=unescape(trajectory or "0"),
        worked=bool(worked),
        call=unescape(call or ""),
        context=unescape(context or ""),
    )


class Chance:
    """How often a change follows a failure by chance, estimated from its frequency after a success."""

    def __init__(self, db: SqliteDatabase, changes: Mapping[int, CallChange], selected: SqlSelection) -> None:
        """`changes`: by their numbers in the index."""
        self._db = db
        self._changes = {number: (change.tool, change_digest(change)) for number, change in changes.items()}
        values = {**selected.values, "changes": json.dumps([known for _, known in self._changes.values()])}
        self._habits = self._sums(_HABITS.format(lively=selected.active_sessions("session")), values)
        pairs = self._sums(_PAIRS.format(lively=selected.active_sessions("session")), selected.values)
        self._pairs = {unescape(tool): pair for tool, pair in pairs.items()}

    def of(self, change: int) -> float:
        """Return the expected number of calls; 0 if nothing is known about calls after a success."""
        tool, known = self._changes[change]
        after_success, after_failure = self._pairs.get(tool, (0, 0))
        (habits,) = self._habits.get(known, (0,))
        return habits / after_success * after_failure if after_success else 0.0

    def _sums(self, statement: str, values: Mapping[str, Value]) -> dict[Any, tuple[int, ...]]:
        return {name: tuple(map(self._db.as_int, sums)) for name, *sums in self._db.run(statement, values)}


def _signatures(db: SqliteDatabase, numbers: Iterable[int]) -> dict[int, Signature]:
    return {
        number: Signature(key=unescape(key), who=unescape(who), says=unescape(says), version=db.as_int(version))
        for number, (key, who, says, version) in _named_by(db, _SIGNATURES, numbers).items()
    }


def _changes(db: SqliteDatabase, numbers: Iterable[int]) -> dict[int, CallChange]:
    return {
        number: CallChange(
            tool=unescape(tool),
            removed=tuple(json.loads(removed)),
            added=tuple(json.loads(added)),
            first=tuple(json.loads(first)),
        )
        for number, (tool, removed, added, first) in _named_by(db, _CHANGES, numbers).items()
    }


def _named_by(db: SqliteDatabase, statement: str, numbers: Iterable[Value]) -> dict[Any, Any]:
    """Return the rows with these numbers, by number."""
    return _table(db.run(statement, (json.dumps(list(numbers)),)))


def _table(rows: list[Row]) -> dict[Any, Any]:
    """Return rows by their first value."""
    return {first: tuple(rest) for first, *rest in rows}
