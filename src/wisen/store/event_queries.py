"""Counts events in the index with SQL.

Concessions and citations are never counted as events: they only describe others. Findings are queried in
`findings_queries.py`.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from wisen.model.citation import CitedId
from wisen.model.report import Counts, ToolUse
from wisen.model.source import ReadProblemCount, ReadProblemKind
from wisen.store.escapes import from_milliseconds, unescape
from wisen.store.index_histories import OF_SESSION
from wisen.store.index_selection import report_garbled, sql_selection

if TYPE_CHECKING:
    from wisen.model.report import Selection
    from wisen.store.database_port import Row
    from wisen.store.index_selection import SqlSelection
    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
_WAITING = "SELECT session FROM mining WHERE version IS NULL"
_TALLIED = f"NOT IN ({_WAITING})"
_LIVE = f"{OF_SESSION} {{more}} WHERE spans.session IN ({_WAITING}) AND {{spanned}}"
_CALL = "events c ON c.agent = e.agent AND c.id = e.call"

_TOLD = """
    WITH told AS MATERIALIZED (
        SELECT kind, provenance, how, tool, withheld, shape, session, context, many, first, last
        FROM ({counted}) JOIN scenes ON scenes.number = scene JOIN shapes ON shapes.number = shape
        WHERE kind NOT IN ('concession', 'citation')
    )
    SELECT kind, provenance, how, tool, withheld, sum(many), min(first), max(last) FROM told GROUP BY shape
    UNION ALL
    SELECT 'sessions', '', '', tool, '', count(DISTINCT session), 0, 0 FROM told WHERE kind = 'call' GROUP BY tool
    UNION ALL
    SELECT 'all', '', '', '', '', count(DISTINCT session), count(DISTINCT nullif(context, '')), 0 FROM told
"""
_CITATIONS = """
    SELECT shapes.tool, agents.name, sessions.native, max(t.last),
        (SELECT json_group_array(DISTINCT context) FROM scenes there WHERE there.session = sessions.number)
    FROM shapes CROSS JOIN tallies t ON t.shape = shapes.number CROSS JOIN scenes ON scenes.number = t.scene
    CROSS JOIN sessions ON sessions.number = scenes.session CROSS JOIN agents ON agents.number = sessions.agent
    WHERE shapes.kind = 'citation' GROUP BY shapes.tool, sessions.number ORDER BY shapes.tool, sessions.number
"""
_ENDS = """
    SELECT called.tool, coalesce(nullif(ended.how, ''), ended.kind), sum(many) FROM ({counted})
    JOIN shapes called ON called.number = call_shape JOIN shapes ended ON ended.number = end_shape
    WHERE called.kind = 'call' AND ended.kind IN ('outcome', 'rejection') GROUP BY 1, 2
"""
_SOURCES = "SELECT count(*) FROM sources WHERE {sources}"
_TROUBLES = """
    SELECT path, kind, detail, count, first_offset FROM troubles JOIN sources ON sources.number = source
    WHERE {sources} ORDER BY path, first_offset, kind, detail
"""

# From a moment on: scan the events.
_WALKED = """
    SELECT scene, shape, count(*) AS many, min(at) AS first, max(at) AS last
    FROM events e WHERE {chosen} GROUP BY scene, shape
"""
_ENDS_WALKED = f"""
    SELECT c.shape AS call_shape, e.shape AS end_shape, count(*) AS many FROM events e JOIN {_CALL}
    WHERE e.shape IN (SELECT number FROM shapes WHERE kind IN ('outcome', 'rejection'))
    AND {{chosen}} AND {{call_chosen}} GROUP BY 1, 2
"""  # noqa: S608
_INTERRUPTS_WALKED = """
    SELECT count(*) FROM events e
    WHERE e.shape IN (SELECT number FROM shapes WHERE kind = 'interrupt') AND {chosen} AND (+agent, call) IN (
        SELECT agent, call FROM events WHERE shape IN (SELECT number FROM shapes WHERE kind = 'rejection')
    )
"""

# For all time: use tallies for sessions without new events, and the events of the others.
_TALLIES = f"""
    SELECT scene, shape, many, first, last FROM tallies JOIN scenes ON scenes.number = scene
    WHERE session {_TALLIED} AND {{sessions}}
    UNION ALL
    SELECT e.scene, e.shape, count(*), min(e.at), max(e.at) {_LIVE.format(more="", spanned="{spanned}")}
    GROUP BY e.scene, e.shape
"""  # noqa: S608
_ENDS_TALLIED = f"""
    SELECT called AS call_shape, ended AS end_shape, many FROM ends WHERE session {_TALLIED} AND {{sessions}}
    UNION ALL
    SELECT c.shape, e.shape, 1 FROM loose CROSS JOIN events e ON e.number = event CROSS JOIN {_CALL}
    CROSS JOIN scenes ON scenes.number = c.scene
    WHERE loose.session {_TALLIED} AND loose.session <> scenes.session AND {{loosely}} AND {{call_chosen}}
    UNION ALL
    SELECT c.shape, e.shape, 1 {_LIVE.format(more=f"CROSS JOIN {_CALL}", spanned="{spanned}")} AND {{call_chosen}}
"""  # noqa: S608
_INTERRUPTS_TALLIED = f"""
    WITH about AS MATERIALIZED (
        SELECT kind, agent, call, session FROM (
            SELECT e.shape, e.agent, e.call, loose.session FROM loose CROSS JOIN events e ON e.number = event
            WHERE loose.session {_TALLIED}
            UNION ALL
            SELECT e.shape, e.agent, e.call, spans.session {_LIVE.format(more="", spanned="e.call IS NOT NULL")}
        ) JOIN shapes ON shapes.number = shape
    )
    SELECT count(*) FROM about WHERE kind = 'interrupt' AND {{sessions}}
    AND (agent, call) IN (SELECT agent, call FROM about WHERE kind = 'rejection')
"""  # noqa: S608


class _ShapeCount(NamedTuple):
    """How many events of one shape happened, and when."""

    kind: str
    provenance: str
    how: str
    tool: str
    withheld: str
    many: int
    first: int
    last: int


class _Statements(NamedTuple):
    told: str
    ends: str
    interrupts: str


def _statements(selected: SqlSelection) -> _Statements:
    told, ends, interrupts = (
        (_WALKED, _ENDS_WALKED, _INTERRUPTS_WALKED)
        if selected.since
        else (_TALLIES, _ENDS_TALLIED, _INTERRUPTS_TALLIED)
    )
    conditions = {
        "chosen": selected.events("e"),
        "call_chosen": selected.events("c"),
        "sessions": selected.sessions("session"),
        "spanned": selected.sessions("spans.session"),
        "loosely": selected.sessions("loose.session"),
    }
    return _Statements(
        _TOLD.format(counted=told.format(**conditions)),
        _ENDS.format(counted=ends.format(**conditions)),
        interrupts.format(**conditions),
    )


def count_selected(db: SqliteDatabase, selection: Selection) -> Counts:
    """Return counts over the selected sessions."""
    selected = sql_selection(selection)
    statements = _statements(selected)
    with report_garbled(db):
        rows = [_ShapeCount(*cast("tuple[Any, ...]", row)) for row in db.run(statements.told, selected.values)]
        shapes = [each for each in rows if each.kind not in ("sessions", "all") and db.as_int(each.many)]
        sessions = {each.tool: each.many for each in rows if each.kind == "sessions"}
        everything = next(each for each in rows if each.kind == "all")
        return Counts(
            sources=db.query_int(_SOURCES.format(sources=selected.sources), selected.values),
            sessions=everything.many,
            contexts=everything.first,
            typed_turns=sum(each.many for each in shapes if (each.kind, each.provenance) == ("message", "typed")),
            rejections=sum(each.many for each in shapes if each.kind == "rejection"),
            rejections_with_reason=sum(
                each.many for each in shapes if (each.kind, each.how) == ("message", "rejection")
            ),
            interrupts=sum(each.many for each in shapes if each.kind == "interrupt"),
            interrupts_by_rejection=db.query_int(statements.interrupts, selected.values),
            tools=_tools(shapes, sessions, _outcome_counts(db, db.run(statements.ends, selected.values))),
            withheld=_withheld(shapes),
            first=min((from_milliseconds(each.first) for each in shapes), default=None),
            last=max((from_milliseconds(each.last) for each in shapes), default=None),
        )


def cited_ids(db: SqliteDatabase) -> tuple[CitedId, ...]:
    """Return the ids that assistants mentioned in each session, and when last."""
    with report_garbled(db):
        return tuple(
            CitedId(
                name=unescape(str(name)),
                agent=unescape(str(agent)),
                native=unescape(str(native)),
                contexts=frozenset(map(unescape, json.loads(str(contexts)))),
                last=from_milliseconds(db.as_int(last)),
            )
            for name, agent, native, last, contexts in db.run(_CITATIONS)
        )


def read_problems(db: SqliteDatabase, selection: Selection) -> tuple[ReadProblemCount, ...]:
    """Return what could not be read in the selected sources."""
    selected = sql_selection(selection)
    with report_garbled(db):
        return tuple(
            ReadProblemCount(
                path=unescape(str(path)),
                kind=ReadProblemKind(str(kind)),
                detail=unescape(str(detail)),
                count=db.as_int(count),
                first_offset=db.as_int(offset),
            )
            for path, kind, detail, count, offset in db.run(_TROUBLES.format(sources=selected.sources), selected.values)
        )


def _outcome_counts(db: SqliteDatabase, rows: list[Row]) -> dict[tuple[str, str], int]:
    """Return how many calls ended, by tool and outcome."""
    return {(str(tool), str(end)): db.as_int(many) for tool, end, many in rows}


def _tools(
    shapes: list[_ShapeCount], sessions: dict[str, int], outcomes: dict[tuple[str, str], int]
) -> tuple[ToolUse, ...]:
    calls: dict[str, int] = defaultdict(int)
    for each in shapes:
        if each.kind == "call":
            calls[each.tool] += each.many
    uses = (
        ToolUse(
            tool=unescape(tool),
            calls=many,
            ok=outcomes.get((tool, "ok"), 0),
            failed=outcomes.get((tool, "failed"), 0),
            masked=outcomes.get((tool, "masked"), 0),
            cancelled=outcomes.get((tool, "cancelled"), 0),
            rejected=outcomes.get((tool, "rejection"), 0),
            sessions=sessions[tool],
        )
        for tool, many in calls.items()
    )
    return tuple(sorted(uses, key=lambda use: (-use.calls, use.tool)))


def _withheld(shapes: list[_ShapeCount]) -> dict[str, int]:
    rules: dict[str, int] = defaultdict(int)
    for each in shapes:
        if each.withheld:
            rules[unescape(each.withheld)] += each.many
    return dict(sorted(rules.items()))
