"""When fixes were tried: the newest example in each context, and all of some sessions; the port and its SQL."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Protocol, cast

from wisen.store.escapes import escape, unescape
from wisen.store.findings_queries import read_evidence
from wisen.store.index_selection import report_garbled

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from wisen.model.fix import Evidence
    from wisen.store.sqlite import SqliteDatabase

_NEWEST = """
    SELECT fixes.id AS fix_id, t.session, t.at, t.failure, t.later, failed.id AS call, scenes.context AS context,
        row_number() OVER (
            PARTITION BY fixes.id, coalesce(scenes.context, '') ORDER BY t.at DESC, t.later DESC, t.failure DESC
        ) AS place
    FROM fixes JOIN tries t ON fix = fixes.number AND worked
    LEFT JOIN events failed ON failed.number = t.failure LEFT JOIN scenes ON scenes.number = failed.scene
    WHERE fixes.id IN (SELECT value FROM json_each(?))
"""
_EXAMPLES = f"""
    SELECT n.fix_id, agents.name, sessions.native, n.at, before.text, after.text, said.text, f.trajectory, 1, n.call,
        n.context
    FROM ({_NEWEST}) n
    JOIN sessions ON sessions.number = n.session JOIN agents ON agents.number = sessions.agent
    LEFT JOIN failures f ON f.session = n.session AND f.call = n.failure
    LEFT JOIN texts before ON before.event = n.failure LEFT JOIN texts after ON after.event = n.later
    LEFT JOIN texts said ON said.event = f.said
    WHERE n.place = 1 ORDER BY n.at DESC, n.later DESC, n.failure DESC
"""  # noqa: S608 - a constant


_IN_SESSIONS = """
    SELECT fixes.id, agents.name, sessions.native, t.at, before.text, after.text, said.text, f.trajectory, worked,
        failed.id, scenes.context
    FROM tries t JOIN fixes ON fixes.number = fix
    JOIN sessions ON sessions.number = t.session JOIN agents ON agents.number = sessions.agent
    LEFT JOIN failures f ON f.session = t.session AND f.call = t.failure
    LEFT JOIN texts before ON before.event = t.failure LEFT JOIN texts after ON after.event = t.later
    LEFT JOIN texts said ON said.event = f.said
    LEFT JOIN events failed ON failed.number = t.failure LEFT JOIN scenes ON scenes.number = failed.scene
    WHERE t.session IN (SELECT value FROM json_each(?)) ORDER BY t.at DESC, t.later DESC, t.failure DESC
"""


class FixExamples(Protocol):
    """Examples of fixes."""

    def newest(self, fixes: Collection[str]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, the last time that it worked in each context, newest first."""
        ...

    def in_sessions(self, sessions: Collection[int]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, every time that one was tried in these sessions, newest first."""
        ...


class SqliteFixExamples:
    """Examples of fixes in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def newest(self, fixes: Collection[str]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, the last time that it worked in each context, newest first."""
        found = self._by_fix(_EXAMPLES, [escape(each) for each in sorted(fixes)])
        return {each: found.get(each, ()) for each in fixes}

    def in_sessions(self, sessions: Collection[int]) -> dict[str, tuple[Evidence, ...]]:
        """Return, by the id of the fix, every time that one was tried in these sessions, newest first."""
        return self._by_fix(_IN_SESSIONS, sorted(sessions))

    def _by_fix(self, statement: str, wanted: Sequence[int | str]) -> dict[str, tuple[Evidence, ...]]:
        found: dict[str, list[Evidence]] = defaultdict(list)
        with report_garbled(self._db):
            for fix, *row in self._db.run(statement, (json.dumps(wanted),)):
                found[unescape(str(fix))].append(read_evidence(*cast("list[Any]", row)))
        return {fix: tuple(every) for fix, every in found.items()}
