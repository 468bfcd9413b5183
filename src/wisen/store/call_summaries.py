"""What sessions called, in the index: the port, and its SQLite implementation.

`findings_writer.py` writes the summaries of sessions that are mined. They are deleted with a session's other findings.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from wisen.model.call_summary import CalledSession, FailedCall
from wisen.model.failure import Signature
from wisen.store.escapes import escape, from_milliseconds, milliseconds, unescape
from wisen.store.index_selection import report_garbled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

    from wisen.model.call_summary import CallSummary
    from wisen.store.database_port import Row
    from wisen.store.sqlite import SqliteDatabase

_THESE = "IN (SELECT value FROM json_each(?))"
_MISSING = "SELECT session FROM mining WHERE session NOT IN (SELECT session FROM called)"
_CALLED = "SELECT session, started, ended, failures FROM called WHERE started IS NOT NULL"
_OF_CALLS = f"SELECT DISTINCT session FROM events JOIN scenes ON scenes.number = scene WHERE events.id {_THESE}"  # noqa: S608 - constants


class CallSummaries(Protocol):
    """What sessions called, and which calls failed."""

    def newest(self) -> datetime | None:
        """Return when the newest call was made."""
        ...

    def missing(self) -> frozenset[int]:
        """Return the sessions without a summary."""
        ...

    def add(self, summaries: Mapping[int, CallSummary]) -> None:
        """Store the summaries of sessions that have none."""
        ...

    def sessions(self, numbers: Collection[int] | None = None) -> list[CalledSession]:
        """Return all sessions that called something, or some of them, by their first call."""
        ...

    def calls(self, numbers: Collection[int]) -> Iterator[tuple[int, str]]:
        """Yield the encoded calls of sessions that called something."""
        ...

    def places(self, numbers: Collection[int] | None = None) -> list[tuple[int, str]]:
        """Return the directories that all sessions worked in, or some of them."""
        ...

    def sessions_of(self, calls: Collection[str]) -> frozenset[int]:
        """Return the sessions of calls, by the agents' ids of the calls."""
        ...


class SqliteCallSummaries:
    """Call summaries in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def newest(self) -> datetime | None:
        """Return when the newest call was made."""
        ((ended,),) = self._db.run("SELECT max(ended) FROM called")
        return None if ended is None else from_milliseconds(self._db.as_int(ended))

    def missing(self) -> frozenset[int]:
        """Return the sessions without a summary."""
        return frozenset(self._db.as_int(number) for (number,) in self._db.run(_MISSING))

    def add(self, summaries: Mapping[int, CallSummary]) -> None:
        """Store the summaries of sessions that have none."""
        rows = [summary_rows(session, summary) for session, summary in sorted(summaries.items())]
        with self._db.transaction():
            self._db.run_many("INSERT OR IGNORE INTO called VALUES (?, ?, ?, ?)", [row for row, _ in rows])
            self._db.run_many("INSERT OR IGNORE INTO call_words VALUES (?, ?)", [row for _, row in rows])

    def sessions(self, numbers: Collection[int] | None = None) -> list[CalledSession]:
        """Return all sessions that called something, or some of them, by their first call."""
        rows = (
            self._db.run(f"{_CALLED} ORDER BY started, session")
            if numbers is None
            else self._db.run(f"{_CALLED} AND session {_THESE} ORDER BY started, session", (_listed(numbers),))
        )
        with report_garbled(self._db):
            return [
                CalledSession(
                    self._db.as_int(session),
                    from_milliseconds(self._db.as_int(started)),
                    from_milliseconds(self._db.as_int(ended)),
                    _failures(str(failures)),
                )
                for session, started, ended, failures in rows
            ]

    def calls(self, numbers: Collection[int]) -> Iterator[tuple[int, str]]:
        """Yield the encoded calls of sessions that called something."""
        statement = f"SELECT session, calls FROM call_words WHERE session {_THESE}"  # noqa: S608 - constants
        for session, calls in self._db.stream(statement, (_listed(numbers),)):
            yield self._db.as_int(session), unescape(str(calls))

    def places(self, numbers: Collection[int] | None = None) -> list[tuple[int, str]]:
        """Return the directories that all sessions worked in, or some of them."""
        rows = (
            self._db.run("SELECT session, place FROM scenes")
            if numbers is None
            else self._db.run(f"SELECT session, place FROM scenes WHERE session {_THESE}", (_listed(numbers),))  # noqa: S608 - constants
        )
        return [(self._db.as_int(session), unescape(str(place))) for session, place in rows]

    def sessions_of(self, calls: Collection[str]) -> frozenset[int]:
        """Return the sessions of calls."""
        names = json.dumps(sorted(map(escape, calls)))
        return frozenset(self._db.as_int(session) for (session,) in self._db.run(_OF_CALLS, (names,)))


def summary_rows(session: int, summary: CallSummary) -> tuple[Row, Row]:
    """Return the rows of a session in `called` and `call_words`."""
    failures = [
        [each.signature.key, each.signature.who, each.signature.says, each.signature.version, each.call, each.place]
        for each in summary.failures
    ]
    moments = (None if at is None else milliseconds(at) for at in (summary.started, summary.ended))
    return (session, *moments, json.dumps(failures)), (session, escape(summary.calls))


def _failures(encoded: str) -> tuple[FailedCall, ...]:
    if encoded == "[]":
        return ()
    return tuple(
        FailedCall(Signature(key=key, who=who, says=says, version=version), call, place)
        for key, who, says, version, call, place in json.loads(encoded)
    )


def _listed(numbers: Collection[int]) -> str:
    return json.dumps(sorted(numbers))
