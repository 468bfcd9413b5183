"""Counts the events of a session once, after it was mined, so that they need not be counted again.

What a report counts is decided in `event_queries.py`, which adds the sessions with new events.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.store.index_histories import OF_SESSION
from wisen.store.session_sizes import COUNT_SIZE, FORGET_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.store.sqlite import SqliteDatabase

# Statements for one session each.
_FORGET = (
    "DELETE FROM tallies WHERE scene IN (SELECT number FROM scenes WHERE session = ?)",
    "DELETE FROM ends WHERE session = ?",
    "DELETE FROM loose WHERE session = ?",
    FORGET_SIZE,
)
_CALL = "events c ON c.id = e.call AND c.agent = e.agent"
_COUNT = (
    f"""
    INSERT INTO tallies SELECT e.scene, e.shape, count(*), min(e.at), max(e.at) {OF_SESSION}
    WHERE spans.session = ? GROUP BY e.scene, e.shape
    """,
    f"""
    INSERT INTO ends SELECT spans.session, c.shape, e.shape, count(*) {OF_SESSION}
    CROSS JOIN shapes ended ON ended.number = e.shape AND ended.kind IN ('outcome', 'rejection')
    CROSS JOIN {_CALL} CROSS JOIN scenes there ON there.number = c.scene AND there.session = spans.session
    CROSS JOIN shapes called ON called.number = c.shape AND called.kind = 'call'
    WHERE spans.session = ? GROUP BY c.shape, e.shape
    """,
    f"""
    INSERT INTO loose SELECT e.number, spans.session {OF_SESSION}
    CROSS JOIN shapes ON shapes.number = e.shape
    LEFT JOIN {_CALL} LEFT JOIN scenes there ON there.number = c.scene
    WHERE spans.session = ? AND e.call IS NOT NULL
    AND (shapes.kind <> 'outcome' OR there.session IS NOT spans.session)
    """,
    COUNT_SIZE,
)


def tally_sessions(db: SqliteDatabase, sessions: Sequence[int]) -> None:
    """Count the events of these sessions, replacing earlier counts."""
    rows = [(session,) for session in sessions]
    for statement in _FORGET + _COUNT:
        db.run_many(statement, rows)
