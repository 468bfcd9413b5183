"""Where the evidence of each fix stands: whoever keeps something derived from it sees whether it changed."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.store.escapes import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from wisen.store.sqlite import SqliteDatabase

_MARKS = """
    SELECT fixes.id, signatures.version, count(*),
        CASE WHEN max(mining.version IS NULL) THEN -1 ELSE coalesce(max(revision), 0) END, coalesce(many, 0)
    FROM tries JOIN fixes ON fixes.number = fix JOIN signatures ON signatures.number = fixes.signature
    JOIN mining ON mining.session = tries.session LEFT JOIN session_changes c ON c.session = tries.session
    LEFT JOIN (
        SELECT signature, count(DISTINCT session) AS many FROM failures GROUP BY signature
    ) failing ON failing.signature = fixes.signature
    GROUP BY fixes.number
"""


_ATTEMPTS = """
    SELECT fixes.id, agents.name, sessions.native, coalesce(failed.id, '') FROM tries JOIN fixes ON fixes.number = fix
    JOIN sessions ON sessions.number = tries.session JOIN agents ON agents.number = sessions.agent
    LEFT JOIN events failed ON failed.number = tries.failure
    WHERE fixes.id IN (SELECT value FROM json_each(?))
"""


class FixMark(NamedTuple):
    """Where the evidence of a fix stands: as long as it is the same, the evidence is the same."""

    tries: int
    """How often it was tried, with signatures of any version."""
    revision: int
    """The newest change of a session in which it was tried; -1 if one of them has events that were not mined yet."""
    failing: int
    """In how many sessions calls failed with its signature."""


class FixAttempted(NamedTuple):
    """One time that a fix was tried."""

    fix: str
    """The id of the fix."""
    agent: str
    session: str
    """The agent's own id of the session."""
    call: str
    """The id of the call that failed."""


class FixMarks(Protocol):
    """Where the evidence of fixes stands."""

    def all(self) -> Mapping[tuple[str, int], FixMark]:
        """Return the mark of each fix, by the id of the fix and the version of its signature."""
        ...

    def attempts(self, fixes: Collection[str]) -> Iterator[FixAttempted]:
        """Yield every time that one of these fixes, by id, was tried, in no order."""
        ...


class SqliteFixMarks:
    """Where the evidence of fixes stands, in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def all(self) -> Mapping[tuple[str, int], FixMark]:
        """Return the mark of each fix, by the id of the fix and the version of its signature."""
        whole = self._db.as_int
        rows = [(unescape(str(name)), [*map(whole, numbers)]) for name, *numbers in self._db.run(_MARKS)]
        by_fix: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for name, (_, tries, revision, _) in rows:
            by_fix[name].append((tries, revision))
        marks: dict[tuple[str, int], FixMark] = {}
        for name, (version, _, _, failing) in rows:
            revisions = [revision for _, revision in by_fix[name]]
            newest = -1 if -1 in revisions else max(revisions)
            marks[name, version] = FixMark(sum(tries for tries, _ in by_fix[name]), newest, failing)
        return marks

    def attempts(self, fixes: Collection[str]) -> Iterator[FixAttempted]:
        """Yield every time that one of these fixes was tried, in no order."""
        for row in self._db.stream(_ATTEMPTS, (json.dumps([*map(escape, sorted(fixes))]),)):
            yield FixAttempted(*map(unescape, map(str, row)))
