"""Judges the instruction files of a directory by the sessions in it, and keeps what was found in each session.

What is kept is a fold over sessions (`store/folds.py`): only sessions that changed since are searched again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct, field

from wisen.blame.effects import measure_effects
from wisen.blame.line_history import trace_lines
from wisen.blame.session_matches import Matches, build_timeline, update_matches, wanted_by
from wisen.mining.session_mining import mine_session
from wisen.model.call_summary import CallSummary
from wisen.model.instruction import SIGNIFICANT, Blame
from wisen.model.report import Selection
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.instruction import InstructionFile
    from wisen.store.home import Home
    from wisen.store.index import Index

JUDGED_DAYS = 400
"""How many days of sessions lines are judged by."""
_NAME, _VERSION = "instruction files", "1"
_AT_ONCE = 200
"""How many sessions are summarized before they are stored."""


class JudgedRoot(Struct, frozen=True):
    """What the files of one directory were judged by."""

    sessions: list[int]
    matches: Matches
    oldest: datetime | None = None
    """The start of the oldest session that counted."""
    newest_left_out: datetime | None = None
    """The start of the newest session that was too old to count."""

    def is_current(self, since: datetime) -> bool:
        """Whether the same sessions count since this moment."""
        return (self.oldest is None or since <= self.oldest) and (
            self.newest_left_out is None or self.newest_left_out < since
        )


class JudgedFold(Struct, frozen=True):
    """What the last judging was based on."""

    page: str = ""
    """The digest of the stored findings that belong to it."""
    projects: list[str] = field(default_factory=list)
    """The directories in which files were looked for."""
    roots: dict[str, JudgedRoot] = field(default_factory=dict)


def load_fold(index: Index) -> tuple[int, JudgedFold]:
    """Return what the last judging was based on, and the revision up to which it counts; empty where there is none."""
    stored = index.folds.load(_NAME, _VERSION)
    if stored is None or stored.revision > index.folds.revision():
        return 0, JudgedFold()
    try:
        return stored.revision, msgspec.convert(json.loads(stored.value), JudgedFold)
    except (ValueError, msgspec.ValidationError):
        return 0, JudgedFold()


def save_fold(index: Index, revision: int, fold: JudgedFold) -> None:
    """Store what a judging was based on: numbers, digests and paths, and no text."""
    value = json.dumps(msgspec.to_builtins(fold), separators=(",", ":"))
    index.folds.save(_NAME, _VERSION, Fold(revision, value))


class FileSessions:
    """The sessions by which instruction files are judged, as far as they changed since the last judging."""

    def __init__(self, home: Home, revision: int, fold: JudgedFold, *, only: str = "") -> None:
        """`revision`: up to which the fold counts; `only`: only the files of this directory are judged."""
        self._index, self.fold = home.index, fold
        self._sessions_by_place: dict[str, set[int]] | None = None
        self.revision = self._index.folds.revision()
        missing = self._index.calls.missing()
        if missing and only:
            missing &= self._find_sessions(only)
        _add_summaries(self._index, sorted(missing))
        self.changed = self._index.folds.changed_sessions(revision) | missing
        self.since = (self._index.calls.newest() or home.clock.now()) - timedelta(days=JUDGED_DAYS)
        self.changed_places = defaultdict[int, set[str]](set)
        for session, place in self._index.calls.places(self.changed) if self.changed else ():
            self.changed_places[session].add(place)

    def is_affected(self, root: str) -> bool:
        """Whether the files of a directory have to be judged again because of sessions."""
        known = self.fold.roots.get(root)
        return (
            known is None
            or not known.is_current(self.since)
            or not self.changed.isdisjoint(known.sessions)
            or any(_is_at(root, places) for places in self.changed_places.values())
        )

    def judge(self, root: str, files: Sequence[InstructionFile]) -> tuple[list[Blame], JudgedRoot]:
        """Judge the files of a directory; all of them are given."""
        known = self.fold.roots.get(root, JudgedRoot([], Matches()))
        lines = [trace_lines(file.versions) for file in files]
        every = self._index.calls.sessions(self._sessions_at(root))
        matches = update_matches(
            known.matches,
            wanted_by(line for each in lines for line in each),
            every,
            set(known.sessions) - self.changed,
            self._index.calls.calls,
        )
        sessions = [session for session in every if session.started >= self.since]
        timeline = build_timeline(sessions, matches)
        judged = JudgedRoot(
            [session.session for session in every],
            matches,
            min((session.started for session in sessions), default=None),
            max((session.started for session in every if session.started < self.since), default=None),
        )
        blames = []
        for file, of_file in zip(files, lines, strict=True):
            measured = measure_effects(of_file, timeline)
            gone = (effect for effect in measured if effect.line.gone is not None)
            blames.append(
                Blame(
                    file=file,
                    effects=tuple(effect for effect in measured if effect.line.gone is None),
                    gone=tuple(effect for effect in gone if effect.strength in SIGNIFICANT),
                    sessions=len(sessions),
                )
            )
        return blames, judged

    def _sessions_at(self, root: str) -> Collection[int] | None:
        """Return the sessions that worked in or below a directory; None for all."""
        if not root:
            return None
        if root in self.fold.roots:
            new = {session for session, places in self.changed_places.items() if _is_at(root, places)}
            return (set(self.fold.roots[root].sessions) - self.changed) | new
        return self._find_sessions(root)

    def _find_sessions(self, root: str) -> set[int]:
        if self._sessions_by_place is None:
            self._sessions_by_place = defaultdict(set)
            for session, place in self._index.calls.places():
                self._sessions_by_place[place].add(session)
        return {
            session
            for place, sessions in self._sessions_by_place.items()
            if _is_at(root, (place,))
            for session in sessions
        }


def _is_at(root: str, places: Iterable[str]) -> bool:
    """Whether one of these directories is a directory or below it; the empty one contains all."""
    folder = root.rstrip("/")
    return not root or any(place == folder or place.startswith(f"{folder}/") for place in places)


def _add_summaries(index: Index, missing: Sequence[int]) -> None:
    """Summarize the calls of sessions that were mined before that was part of it."""
    for first in range(0, len(missing), _AT_ONCE):
        some = missing[first : first + _AT_ONCE]
        summaries = dict.fromkeys(some, CallSummary(None, None))
        for history in index.events.histories(Selection(sessions=frozenset(some))):
            summaries[history.session] = mine_session(history).calls or summaries[history.session]
        index.calls.add(summaries)
