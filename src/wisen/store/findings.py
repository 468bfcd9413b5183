"""What mining found in sessions, in the index: the port, and the one in a SQLite file.

What was found is written by `mined.py` and asked for in `mined_questions.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.store.index_histories import unmined
from wisen.store.mined import keep_mined
from wisen.store.mined_questions import evidence, failures, fixes, goals, signals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, MutableMapping, Sequence
    from datetime import datetime

    from wisen.model.failure import Goal, SessionFindings
    from wisen.model.fix import Evidence, FailureKind, Fix
    from wisen.model.history import History
    from wisen.model.report import Selection
    from wisen.model.signal import Sighting
    from wisen.store.sqlite import SqliteDatabase


class Findings(Protocol):
    """What mining found in sessions, and which of them it has still to look at."""

    def take_unmined(self, version: int) -> Iterator[History]:
        """The sessions that hold something new since they were mined, or that another version of the miner saw last.

        They come one at a time, and what this gives may be handed to `mined` before the next is taken.
        """
        ...

    def store_findings(self, found: Sequence[SessionFindings], version: int) -> None:
        """Keep what sessions taught, in one transaction and in place of what they taught before.

        A session that got something new since `unmined` gave it stays unmined. What names an event that is not there
        is left out.
        """
        ...

    def mine_again(self, sessions: Collection[int]) -> None:
        """Have sessions mined anew, by the index's numbers of them, though they hold nothing new."""
        ...

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """What went wrong, by signature, in most sessions first.

        What is transient does not count when it happened before `alive`.
        """
        ...

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """The changes that made failing calls work at least once, those of most sessions first."""
        ...

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Every time a fix was tried, newest first.

        The beginning of an id is enough; nothing comes where no fix or several begin with it.
        """
        ...

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """What was asked for in the selected sessions and how it went, oldest first."""
        ...

    def signals(self, selection: Selection) -> tuple[Sighting, ...]:
        """What the user said about the work in the selected sessions, newest first.

        Of the same moment, the message that was read last comes first; of one message, they come by kind.
        """
        ...


class SqliteFindings:
    """What mining found, in a SQLite file."""

    def __init__(self, db: SqliteDatabase, handed: MutableMapping[int, int]) -> None:
        """`handed`: by session, the last event it held when it was handed out to be mined."""
        self._db, self._handed = db, handed

    def take_unmined(self, version: int) -> Iterator[History]:
        """The sessions that this version of the miner has not seen as they are now, one at a time."""
        return unmined(self._db, version, self._handed)

    def store_findings(self, found: Sequence[SessionFindings], version: int) -> None:
        """Keep what sessions taught, in one transaction and in place of what they taught before."""
        with self._db.transaction():
            keep_mined(self._db, found, version, self._handed)
        for each in found:
            self._handed.pop(each.session, None)

    def mine_again(self, sessions: Collection[int]) -> None:
        """Have sessions mined anew."""
        with self._db.transaction():
            rows = [(session,) for session in sorted(sessions)]
            self._db.run_many("UPDATE mining SET version = NULL WHERE session = ?", rows)

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """What went wrong, by signature; what went away by itself counts from `alive` on."""
        return failures(self._db, selection, alive)

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """The changes that made failing calls work, those of most sessions first."""
        return fixes(self._db, selection)

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Every time a fix was tried, newest first; the beginning of its id is enough where only one begins so."""
        return evidence(self._db, fix_id)

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """What was asked for in the selected sessions and how it went, oldest first."""
        return goals(self._db, selection)

    def signals(self, selection: Selection) -> tuple[Sighting, ...]:
        """What the user said about the work in the selected sessions, newest first."""
        return signals(self._db, selection)
