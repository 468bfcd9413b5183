"""What mining found in sessions, in the index: the port, and its SQLite implementation.

`findings_writer.py` writes findings, and `findings_queries.py` queries them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.report import Selection
from wisen.store.findings_queries import count_signals, evidence, failures, fixes, goals, signals
from wisen.store.findings_writer import write_findings
from wisen.store.index_histories import unmined_histories, unmined_sessions
from wisen.store.kept_fixes import all_fixes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, MutableMapping, Sequence
    from datetime import datetime

    from wisen.model.failure import Goal, SessionFindings
    from wisen.model.fix import Evidence, FailureKind, Fix
    from wisen.model.history import History
    from wisen.model.signal import SignalKind, SourcedSignal
    from wisen.store.database_port import Row
    from wisen.store.sqlite import SqliteDatabase

_HELD = """
    SELECT (SELECT max(revision) FROM session_changes), (SELECT count(*) FROM mining WHERE version IS NULL),
        (SELECT count(*) FROM tries), (SELECT count(*) FROM failures)
"""
"""Differs after the findings of any session changed."""


class Findings(Protocol):
    """What mining found in sessions, and which sessions are still to be mined."""

    def take_unmined(self, version: int, only: Iterable[int] | None = None) -> Iterator[History]:
        """Yield the sessions with new events since they were mined, or last mined by another version of the miner.

        The findings of a session may be stored before the next one is taken. `only`: just these of them.
        """
        ...

    def store_findings(self, found: Sequence[SessionFindings], version: int) -> None:
        """Store the findings of sessions in one transaction, replacing their earlier findings.

        A session with new events since `take_unmined` yielded it stays unmined. Findings about missing events are
        left out.
        """
        ...

    def mine_again(self, sessions: Collection[int]) -> None:
        """Queue sessions to be mined again, by their numbers in the index, though they have nothing new."""
        ...

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """Return failures by signature, most sessions first.

        Transient failures do not count if they happened before `alive`.
        """
        ...

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """Return the changes that made failing calls work at least once, most sessions first."""
        ...

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Return every attempt of a fix, newest first.

        A prefix of the id is enough; the result is empty if no fix or several match.
        """
        ...

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """Yield the goals of the selected sessions and how they ended, oldest first."""
        ...

    def signals(self, selection: Selection, kind: SignalKind | None = None) -> tuple[SourcedSignal, ...]:
        """Return the user's signals in the selected sessions, of one kind or of all, newest first.

        At the same moment, the message read last comes first; within one message, they are sorted by kind.
        """
        ...

    def count_signals(self, selection: Selection) -> dict[SignalKind, int]:
        """Count the turns with each kind of signal that is not doubtful, the most frequent first."""
        ...


class SqliteFindings:
    """Findings in a SQLite file."""

    def __init__(self, db: SqliteDatabase, handed: MutableMapping[int, int]) -> None:
        """`handed`: by session, its last event when it was handed out for mining."""
        self._db, self._handed = db, handed
        self._all_fixes: tuple[Row, tuple[Fix, ...]] | None = None
        """All fixes, and what the index held when they were counted: a run asks several times."""

    def take_unmined(self, version: int, only: Iterable[int] | None = None) -> Iterator[History]:
        """Yield the sessions that this version of the miner has not seen in their current state."""
        # Numbers first: the consumer writes to the same tables in between.
        sessions = unmined_sessions(self._db, version) if only is None else only
        return unmined_histories(self._db, version, self._handed, sessions)

    def store_findings(self, found: Sequence[SessionFindings], version: int) -> None:
        """Store the findings of sessions in one transaction, replacing their earlier findings."""
        with self._db.transaction():
            write_findings(self._db, found, version, self._handed)
        for each in found:
            self._handed.pop(each.session, None)

    def mine_again(self, sessions: Collection[int]) -> None:
        """Queue sessions to be mined again."""
        with self._db.transaction():
            rows = [(session,) for session in sorted(sessions)]
            self._db.run_many("UPDATE mining SET version = NULL WHERE session = ?", rows)

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """Return failures by signature; transient ones count from `alive` on."""
        return failures(self._db, selection, alive)

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """Return the changes that made failing calls work, most sessions first."""
        if selection != Selection():
            return fixes(self._db, selection)
        (held,) = self._db.run(_HELD)
        if self._all_fixes is None or self._all_fixes[0] != held:
            self._all_fixes = held, all_fixes(self._db)
        return self._all_fixes[1]

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Return every attempt of a fix, newest first; a unique prefix of its id is enough."""
        return evidence(self._db, fix_id)

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """Yield the goals of the selected sessions and how they ended, oldest first."""
        return goals(self._db, selection)

    def signals(self, selection: Selection, kind: SignalKind | None = None) -> tuple[SourcedSignal, ...]:
        """Return the user's signals in the selected sessions, of one kind or of all, newest first."""
        return signals(self._db, selection, kind)

    def count_signals(self, selection: Selection) -> dict[SignalKind, int]:
        """Count the turns with each kind of signal that is not doubtful, the most frequent first."""
        return count_signals(self._db, selection)
