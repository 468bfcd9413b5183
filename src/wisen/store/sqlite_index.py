"""Opens the index in a SQLite file, and replaces it if it is damaged."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from wisen.errors import StoreDamaged, StoreError
from wisen.store.call_summaries import SqliteCallSummaries
from wisen.store.database_port import REPAIR
from wisen.store.events import SqliteEvents
from wisen.store.findings import SqliteFindings
from wisen.store.fix_examples import SqliteFixExamples
from wisen.store.fix_marks import SqliteFixMarks
from wisen.store.folds import SqliteFolds
from wisen.store.index import Index
from wisen.store.index_numbers import IndexNumbers
from wisen.store.index_removal import SqliteIndexRemoval
from wisen.store.memories import SqliteMemories
from wisen.store.model_answers import SqliteModelAnswers
from wisen.store.recorded_calls import SqliteRecordedCalls
from wisen.store.sessions import SqliteSessions
from wisen.store.sqlite import damage_error, table_names, verify_structure
from wisen.store.sqlite_files import INDEX, expected_names, move_aside, open_file
from wisen.store.workflow_runs import SqliteWorkflowRuns

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from wisen.store.sqlite import SqliteDatabase
    from wisen.system.machine_ports import Clock


def open_index(path: Path, *, clock: Clock, busy: float = 10.0) -> tuple[SqliteIndex, str | None]:
    """Open the index in a file, creating it if there is none; a damaged one is moved aside, and the message says so.

    Raises: StoreNewer, StoreReadOnly, StoreBusy, StoreError.
    """
    try:
        return SqliteIndex(open_file(path, INDEX, busy=busy), clock, busy), None
    except StoreDamaged as error:
        warning = replace_damaged_index(path, error, clock.now())
        return SqliteIndex(open_file(path, INDEX, busy=busy), clock, busy), warning


def replace_damaged_index(path: Path, error: StoreDamaged, now: datetime) -> str:
    """Move a damaged index aside, so that a new one is created; returns a message about it."""
    aside = move_aside(path, now)
    why = str(error).removesuffix(f" {REPAIR}")  # nothing is left to repair by hand
    return f"{why} It is built again from the logs; the damaged file is now {aside}."


class SqliteIndex(Index):
    """The index in one file."""

    def __init__(self, db: SqliteDatabase, clock: Clock, busy: float = 10.0) -> None:
        self.database = db
        numbers, memories = IndexNumbers(db), SqliteMemories(db)
        super().__init__(
            events=SqliteEvents(db, numbers),
            recorded_calls=SqliteRecordedCalls(db),
            fix_marks=SqliteFixMarks(db),
            findings=SqliteFindings(db, numbers.handed_out),
            calls=SqliteCallSummaries(db),
            runs=SqliteWorkflowRuns(db),
            fix_examples=SqliteFixExamples(db),
            removal=SqliteIndexRemoval(db, numbers, memories),
            memories=memories,
            model_answers=SqliteModelAnswers(db),
            sessions=SqliteSessions(db),
            folds=SqliteFolds(db),
            storage=_IndexFile(db, numbers, memories, clock, busy),
        )


class _IndexFile:
    """The file, which can be replaced while parts of the index stay in use."""

    def __init__(
        self, db: SqliteDatabase, numbers: IndexNumbers, memories: SqliteMemories, clock: Clock, busy: float
    ) -> None:
        self._db, self._numbers, self._memories, self._clock, self._busy = db, numbers, memories, clock, busy

    @property
    def file(self) -> Path:
        """The file, which other processes can read too."""
        return self._db.path

    @property
    def stamp(self) -> str:
        """A text that is another one after anything was stored."""
        by_others, by_us = self._db.query_int("PRAGMA data_version"), self._db.connection.total_changes
        return f"{id(self._db.connection)} {by_others} {by_us}"

    def check(self) -> None:
        """Check the whole store. Raises: StoreDamaged."""
        verify_structure(self._db, "integrity_check")
        missing = sorted(expected_names(INDEX) - table_names(self._db))
        if missing:
            raise damage_error(self._db.path, f"parts of it are missing: {', '.join(missing)}")
        for (name,) in self._db.run("SELECT name FROM sqlite_master WHERE type = 'table'"):
            for _ in self._db.stream(f"SELECT * FROM {name}"):  # noqa: S608 - a name of ours, or SQLite's
                pass  # it fails at a text that is not UTF-8

    def rebuild(self, error: StoreDamaged) -> str | None:
        """If this index is damaged: move it aside and start over; returns a message about it."""
        if not str(error).startswith(self._db.location):
            return None
        with suppress(StoreError):  # a damaged file may fail to close
            self._db.close()
        message = replace_damaged_index(self._db.path, error, self._clock.now())
        self._db.connection = open_file(self._db.path, INDEX, busy=self._busy).connection
        self._numbers.reset()
        self._memories.forget_numbers()
        return message

    def close(self) -> None:
        """Close the file."""
        self._db.close()
