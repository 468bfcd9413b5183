"""The diary of a turn: what its sessions came to is noted while they are mined, and kept at the end."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.memory.keep import keep, shelf_of
from wisen.memory.summarize import named, summaries_of
from wisen.memory.summary_text import Setting
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from wisen.model.failure import Mined
    from wisen.model.history import History
    from wisen.model.summary import Summary
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files

AT_ONCE = 30
"""So many summaries are written in a turn, the newest: the first turn must not wait for the files of years."""


class Diary:
    """What the sessions of a turn came to."""

    def __init__(self, home: Home, files: Files) -> None:
        self._home, self._files = home, files
        self._told: list[Summary] = []
        self.troubles: list[str] = []
        """What went wrong on the way, for the report."""

    def noted(self, session: History, mined: Mined) -> tuple[Summary, ...]:
        """Note what a session came to, which is handed on."""
        told = summaries_of(session, mined, stands_alone)
        self._told += told
        return told

    def keep(self, only: Collection[str] | None = None) -> tuple[str, ...]:
        """Write the newest of it below the home, or only those with some keys.

        What cannot be written is told, and stops nothing.
        """
        newest = sorted(self._told, key=lambda each: (each.last, each.key))[-AT_ONCE:]
        if only is not None:
            newest = [each for each in self._told if each.key in only]
        warnings = [*self.troubles]
        for context, summaries in _by_context(_with_entries(self._home, newest)):
            try:
                kept(self._home, self._files, context, summaries)
            except FileError as error:
                warnings.append(str(error))
        return tuple(warnings)


def told(home: Home, sessions: Iterable[tuple[History, Mined]], context: str) -> list[Summary]:
    """What sessions came to in one context."""
    found = (each for session, mined in sessions for each in summaries_of(session, mined, stands_alone))
    return _with_entries(home, [each for each in found if each.context == context])


def kept(home: Home, files: Files, context: str, summaries: Sequence[Summary], *, dry_run: bool = False) -> list[Path]:
    """Write the summaries and days of a context below the home. Returns the files that change. Raises: FileError."""
    shelf, setting = shelf_of(home.path, context), setting_of(home, context)
    return keep(files, shelf, summaries, setting, dry_run=dry_run)


def setting_of(home: Home, context: str) -> Setting:
    """What the memory of a context is written with."""
    names = {each.key: each.name for each in home.ledger.contexts.all()}
    return Setting(names.get(context, context), home.local)


def _with_entries(home: Home, summaries: Sequence[Summary]) -> list[Summary]:
    """Summaries with the names of the entries that what they tell became."""
    wanted = {item.message for summary in summaries for item in summary.learnings if item.message}
    if not wanted:
        return [*summaries]
    entries = {each.message: each.entry for each in home.ledger.occurrences.all() if each.message in wanted}
    names = {entry.id: entry.name for entry in home.ledger.entries.of(set(entries.values()))}
    return [named(summary, lambda message: names.get(entries.get(message, ""), "")) for summary in summaries]


def _by_context(summaries: Iterable[Summary]) -> list[tuple[str, list[Summary]]]:
    of: dict[str, list[Summary]] = defaultdict(list)
    for summary in summaries:
        of[summary.context].append(summary)
    return sorted(of.items())
