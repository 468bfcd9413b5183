"""Judges the lines of all instruction files by the sessions before and after them, as part of the learning cycle."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.blame.file_blame import blame_files
from wisen.blame.instruction_snapshots import new_snapshots, with_snapshots
from wisen.mining.session_mining import mine_session
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.blame.instruction_files import Instructions
    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.instruction import Blame, InstructionFile
    from wisen.store.home import Home

JUDGED_DAYS = 400
"""How many days of sessions lines are judged by."""


def judge_files(projects: Projects, instructions: Instructions, boundaries: ErrorBoundaries) -> tuple[Blame, ...]:
    """Judge the instruction files of every project with sessions; files that no repository tracks are snapshotted."""
    files = instructions.files(sorted({alias.path for alias in projects.active_aliases()}))
    known = []
    for file in files:
        with boundaries.isolate(BoundaryKind.PROJECT, file.path):
            known.append(with_stored_history(projects, file))
    return tuple(blame_recent(projects.home, known))


def with_stored_history(projects: Projects, file: InstructionFile) -> InstructionFile:
    """Snapshot a file if needed, and return it with its stored snapshots as versions."""
    home = projects.home
    known = home.ledger.file_snapshots.of(file.path, machine=home.machine)
    new = new_snapshots([file], known, machine=home.machine, now=home.clock.now())
    forgotten_filter = home.forgotten_filter
    for snapshot in new:
        if not forgotten_filter.contains_forgotten(snapshot.text) and not projects.resolver.is_off(snapshot.path):
            home.ledger.file_snapshots.add(snapshot)
    return with_snapshots(file, home.ledger.file_snapshots.of(file.path, machine=home.machine))


def blame_recent(home: Home, files: Sequence[InstructionFile]) -> Iterator[Blame]:
    """Blame the lines of files by the recent sessions."""
    since = (home.index.events.counts(Selection()).last or home.clock.now()) - timedelta(days=JUDGED_DAYS)
    return blame_files(files, home.index, since, lambda history: mine_session(history).failures)
