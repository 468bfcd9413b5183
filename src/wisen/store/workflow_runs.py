"""The runs of sessions, in the index: the port, and its SQLite implementation.

`findings_writer.py` writes the runs of sessions that are mined. They are deleted with a session's other findings.
"""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Protocol

import msgspec

from wisen.model.workflow import WorkflowRun
from wisen.store.escapes import escape, milliseconds, unescape
from wisen.store.index_selection import report_garbled

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from wisen.store.database_port import Row
    from wisen.store.sqlite import SqliteDatabase

_OF_CONTEXT = "SELECT run FROM runs WHERE context = ? ORDER BY at, request"
_OF_REQUESTS = """
    SELECT run FROM runs WHERE context = ? AND request IN (
        SELECT number FROM events WHERE id IN (SELECT value FROM json_each(?))
    ) ORDER BY at, request
"""
_IN_TIME = "SELECT at, run FROM runs WHERE context = ? ORDER BY at"
_SESSIONS = "SELECT DISTINCT session, context FROM runs"
_OF_SESSIONS = """
    SELECT run FROM runs WHERE session IN (SELECT value FROM json_each(?)) AND +context = ? ORDER BY at, request
"""
_THESE = " WHERE session IN (SELECT value FROM json_each(?))"


class WorkflowRuns(Protocol):
    """How goals were reached, run by run."""

    def of_context(self, context: str, sessions: Collection[int] | None = None) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context, in all sessions or in some of them, the oldest first."""
        ...

    def of_requests(self, context: str, requests: Collection[str]) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context that have these requests, the oldest first."""
        ...

    def stream(self, context: str) -> Iterator[WorkflowRun]:
        """Yield the runs of a context, ordered by time and request; the caller need not hold them all."""
        ...

    def contexts_of(self, sessions: Collection[int] | None = None) -> frozenset[tuple[int, str]]:
        """Return in which contexts all sessions have runs, or some of them."""
        ...


class SqliteWorkflowRuns:
    """Runs in a SQLite file."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db

    def of_context(self, context: str, sessions: Collection[int] | None = None) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context, in all sessions or in some of them, the oldest first."""
        rows = (
            self._db.run(_OF_CONTEXT, (escape(context),))
            if sessions is None
            else self._db.run(_OF_SESSIONS, (json.dumps(sorted(sessions)), escape(context)))
        )
        with report_garbled(self._db):
            return tuple(_decode(str(run)) for (run,) in rows)

    def of_requests(self, context: str, requests: Collection[str]) -> tuple[WorkflowRun, ...]:
        """Return the runs of a context that have these requests, the oldest first."""
        rows = self._db.run(_OF_REQUESTS, (escape(context), json.dumps(sorted(map(escape, requests)))))
        with report_garbled(self._db):
            return tuple(_decode(str(run)) for (run,) in rows)

    def stream(self, context: str) -> Iterator[WorkflowRun]:
        """Yield the runs of a context, ordered by time and request."""
        rows = self._db.stream(_IN_TIME, (escape(context),))
        for _, same in groupby(rows, key=itemgetter(0)):  # moments are stored in whole milliseconds
            with report_garbled(self._db):
                runs = sorted((_decode(str(run)) for _, run in same), key=lambda run: (run.at, run.request))
            yield from runs

    def contexts_of(self, sessions: Collection[int] | None = None) -> frozenset[tuple[int, str]]:
        """Return in which contexts all sessions have runs, or some of them."""
        rows = (
            self._db.run(_SESSIONS)
            if sessions is None
            else self._db.run(_SESSIONS + _THESE, (json.dumps(sorted(sessions)),))
        )
        return frozenset((self._db.as_int(session), unescape(str(context))) for session, context in rows)


def run_row(run: WorkflowRun, request: int) -> Row:
    """Return the row of a run, whose request is an event with this number."""
    return run.session, request, escape(run.context), milliseconds(run.at), _encode(run)


def _encode(run: WorkflowRun) -> str:
    try:
        return escape(msgspec.json.encode(run).decode())
    except UnicodeEncodeError:  # a name that is not UTF-8
        return escape(json.dumps(msgspec.to_builtins(run), ensure_ascii=False))


def _decode(stored: str) -> WorkflowRun:
    text = unescape(stored)
    if text is stored:
        return msgspec.json.decode(text, type=WorkflowRun)
    return msgspec.convert(json.loads(text), WorkflowRun)
