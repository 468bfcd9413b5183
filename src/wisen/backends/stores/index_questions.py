"""What the index answers about the events it keeps, counted by SQL."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from wisen.backends.stores.escapes import from_milliseconds, milliseconds, pack, unpack
from wisen.backends.stores.sqlite import damaged
from wisen.domain.events import Status
from wisen.domain.fixes import History, Step
from wisen.domain.report import Counts, Failure, ToolUse
from wisen.domain.sources import TroubleCount, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.backends.stores.dialect import Row, Value
    from wisen.backends.stores.sqlite import SqliteDatabase
    from wisen.domain.report import Selection

UNKNOWN_TOOL = "unknown"
"""The tool of an outcome whose call was never seen."""

# Every name that stands inside these statements is ours; what people wrote comes in as a value.
_TOLD = """
    SELECT kind, provenance, how, tool, withheld, session, context, many, first, last FROM (
        SELECT scene, shape, count(*) AS many, min(at) AS first, max(at) AS last
        FROM events e WHERE {chosen} GROUP BY scene, shape
    ) JOIN scenes ON scenes.number = scene JOIN shapes ON shapes.number = shape
"""
_ENDS = """
    SELECT called.tool, coalesce(nullif(ended.how, ''), ended.kind), sum(many) FROM (
        SELECT c.shape AS call_shape, e.shape AS end_shape, count(*) AS many
        FROM events e JOIN events c ON c.agent = e.agent AND c.id = e.call
        WHERE e.shape IN (SELECT number FROM shapes WHERE kind IN ('outcome', 'rejection'))
        AND {chosen} AND {call_chosen} GROUP BY 1, 2
    ) JOIN shapes called ON called.number = call_shape JOIN shapes ended ON ended.number = end_shape
    WHERE called.kind = 'call' GROUP BY 1, 2
"""
_INTERRUPTS_BY_REJECTION = """
    SELECT count(*) FROM events e
    WHERE e.shape IN (SELECT number FROM shapes WHERE kind = 'interrupt') AND {chosen} AND (+agent, call) IN (
        SELECT agent, call FROM events WHERE shape IN (SELECT number FROM shapes WHERE kind = 'rejection')
    )
"""
_FAILURES = """
    SELECT scenes.session, called.tool, arguments.text, said.text, ended.how, e.at
    FROM events e
    JOIN scenes ON scenes.number = e.scene
    JOIN shapes ended ON ended.number = e.shape
    LEFT JOIN events c ON c.agent = e.agent AND c.id = e.call
    LEFT JOIN shapes called ON called.number = c.shape AND called.kind = 'call'
    LEFT JOIN texts arguments ON arguments.event = c.number AND called.number IS NOT NULL
    LEFT JOIN texts said ON said.event = e.number
    WHERE e.shape IN (SELECT number FROM shapes WHERE kind = 'outcome' AND how IN ('failed', 'masked'))
    AND {chosen} ORDER BY e.at, e.number
"""
_STEPS = """
    SELECT scenes.session, c.id, called.tool, arguments.text, ended.how, said.text, c.at
    FROM events c
    JOIN scenes ON scenes.number = c.scene
    JOIN shapes called ON called.number = c.shape AND called.kind = 'call'
    LEFT JOIN (
        SELECT call, agent, number, shape FROM events WHERE shape IN (SELECT number FROM shapes WHERE kind = 'outcome')
    ) e ON e.call = c.id AND e.agent = c.agent
    LEFT JOIN shapes ended ON ended.number = e.shape
    LEFT JOIN texts arguments ON arguments.event = c.number
    LEFT JOIN texts said ON said.event = e.number
    WHERE {call_chosen} ORDER BY scenes.session, c.at, c.number
"""
_HELD = """
    SELECT scenes.number FROM sources JOIN holdings ON source = sources.number JOIN scenes USING (session)
    WHERE {sources}
"""
_SOURCES = "SELECT count(*) FROM sources WHERE {sources}"
_TROUBLES = """
    SELECT path, kind, detail, count, first_offset FROM troubles JOIN sources ON sources.number = source
    WHERE {sources} ORDER BY path, first_offset, kind, detail
"""


class _Told(NamedTuple):
    """How many events of one shape happened in one scene, and when."""

    kind: str
    provenance: str
    how: str
    tool: str
    withheld: str
    session: int
    context: str
    many: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Chosen:
    """A selection as conditions of SQL, with the values they name."""

    sources: str
    values: Mapping[str, Value]
    narrow: bool
    """Whether sources were chosen at all."""
    since: bool

    def events(self, alias: str) -> str:
        """The condition on one event."""
        conditions = [f"{alias}.at >= :since"] if self.since else []
        if self.narrow:
            conditions.append(f"{alias}.scene IN ({_HELD.format(sources=self.sources)})")
        return " AND ".join(conditions) or "1"

    def into(self, statement: str) -> str:
        """A statement with the conditions in their places."""
        return statement.format(chosen=self.events("e"), call_chosen=self.events("c"), sources=self.sources)


def _chosen(selection: Selection) -> _Chosen:
    values: dict[str, Value] = {}
    if selection.since is not None:
        values["since"] = milliseconds(selection.since)
    sources = "1"
    if selection.under is not None:
        under = pack(str(selection.under))
        folder = under if under.endswith("/") else f"{under}/"
        # "0" follows "/" in the alphabet: everything below the folder lies between, and nothing else does.
        values |= {"under": under, "first": folder, "beyond": f"{folder[:-1]}0"}
        sources = "(path = :under OR (path >= :first AND path < :beyond))"
    if selection.agent is not None:
        values["agent"] = pack(selection.agent)
        sources += " AND sources.agent = (SELECT number FROM agents WHERE name = :agent)"
    return _Chosen(sources, values, sources != "1", selection.since is not None)


def counts(db: SqliteDatabase, selection: Selection) -> Counts:
    """What the selected sessions hold."""
    chosen = _chosen(selection)

    def ask(statement: str) -> list[Row]:
        return db.run(chosen.into(statement), chosen.values)

    def number(statement: str) -> int:
        return db.number(chosen.into(statement), chosen.values)

    with _understood(db):
        told = [_Told(*cast("tuple[Any, ...]", row)) for row in ask(_TOLD)]
        return Counts(
            sources=number(_SOURCES),
            sessions=len({each.session for each in told}),
            contexts=len({each.context for each in told if each.context}),
            typed_turns=sum(each.many for each in told if (each.kind, each.provenance) == ("message", "typed")),
            rejections=sum(each.many for each in told if each.kind == "rejection"),
            rejections_with_reason=sum(each.many for each in told if (each.kind, each.how) == ("message", "rejection")),
            interrupts=sum(each.many for each in told if each.kind == "interrupt"),
            interrupts_by_rejection=number(_INTERRUPTS_BY_REJECTION),
            tools=_tools(told, ask(_ENDS)),
            withheld=_withheld(told),
            first=min((from_milliseconds(each.first) for each in told), default=None),
            last=max((from_milliseconds(each.last) for each in told), default=None),
        )


def failures(db: SqliteDatabase, selection: Selection) -> Iterator[Failure]:
    """Every failed or masked call of the selected sessions, oldest first."""
    chosen = _chosen(selection)
    for row in db.stream(chosen.into(_FAILURES), chosen.values):
        with _understood(db):
            failure = _failure(*cast("tuple[Any, ...]", row))
        yield failure


def histories(db: SqliteDatabase, selection: Selection) -> Iterator[History]:
    """The calls of each selected session with how they ended, in order."""
    chosen = _chosen(selection)
    rows = db.stream(chosen.into(_STEPS), chosen.values)
    for session, steps in groupby(rows, key=lambda row: row[0]):
        with _understood(db):
            history = History(
                session=db.whole(session), steps=tuple(_step(*cast("tuple[Any, ...]", row[1:])) for row in steps)
            )
        yield history


def troubles(db: SqliteDatabase, selection: Selection) -> tuple[TroubleCount, ...]:
    """What could not be read in the selected sources."""
    chosen = _chosen(selection)
    with _understood(db):
        return tuple(
            TroubleCount(
                path=unpack(str(path)),
                kind=TroubleKind(str(kind)),
                detail=unpack(str(detail)),
                count=db.whole(count),
                first_offset=db.whole(offset),
            )
            for path, kind, detail, count, offset in db.run(chosen.into(_TROUBLES), chosen.values)
        )


@contextmanager
def _understood(db: SqliteDatabase) -> Iterator[None]:
    """Rows of the index bear no seal: where a value was garbled, it shows when it is put to use."""
    try:
        yield
    except (ValueError, TypeError, OverflowError) as error:
        raise damaged(db.path, "it holds a value that was never written") from error


def _step(call: str, tool: str, arguments: str | None, status: str | None, text: str | None, at: int) -> Step:
    return Step(
        call=unpack(call),
        tool=unpack(tool),
        arguments=None if arguments is None else unpack(arguments),
        status=None if status is None else Status(status),
        text=None if text is None else unpack(text),
        at=from_milliseconds(at),
    )


def _failure(session: int, tool: str | None, arguments: str | None, text: str | None, status: str, at: int) -> Failure:
    return Failure(
        session=session,
        tool=UNKNOWN_TOOL if tool is None else unpack(tool),
        arguments=None if arguments is None else unpack(arguments),
        text=None if text is None else unpack(text),
        status=Status(status),
        at=from_milliseconds(at),
    )


def _tools(told: list[_Told], ends: list[Row]) -> tuple[ToolUse, ...]:
    ended: dict[tuple[str, str], int] = {(tool, end): many for tool, end, many in cast("list[Any]", ends)}
    calls: dict[str, int] = defaultdict(int)
    sessions: dict[str, set[int]] = defaultdict(set)
    for each in told:
        if each.kind == "call":
            calls[each.tool] += each.many
            sessions[each.tool].add(each.session)
    uses = (
        ToolUse(
            tool=unpack(tool),
            calls=many,
            ok=ended.get((tool, "ok"), 0),
            failed=ended.get((tool, "failed"), 0),
            masked=ended.get((tool, "masked"), 0),
            cancelled=ended.get((tool, "cancelled"), 0),
            rejected=ended.get((tool, "rejection"), 0),
            sessions=len(sessions[tool]),
        )
        for tool, many in calls.items()
    )
    return tuple(sorted(uses, key=lambda use: (-use.calls, use.tool)))


def _withheld(told: list[_Told]) -> dict[str, int]:
    rules: dict[str, int] = defaultdict(int)
    for each in told:
        if each.withheld:
            rules[unpack(each.withheld)] += each.many
    return dict(sorted(rules.items()))
