"""Collects the summaries of sessions while they are mined, and writes them at the end of a run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.errors import FileError
from wisen.memory.memory_files import memory_folder, write_memory
from wisen.memory.summary_text import SummaryStyle

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.model.summary import Summary
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files

MAX_PER_RUN = 30
"""How many summaries a run writes, the newest: the first run must not wait for the files of years."""


class SummaryWriter:
    """The session summaries of one run."""

    def __init__(self, home: Home, files: Files) -> None:
        self._home, self._files = home, files
        self._summaries: list[Summary] = []
        self.problems: list[str] = []
        """Problems of this run, for the report."""

    def add(self, summaries: Iterable[Summary]) -> None:
        """Add the summaries of a session."""
        self._summaries += summaries

    def write(self, only: Collection[str] | None = None) -> tuple[str, ...]:
        """Write the newest summaries below the home, or only those with the given keys.

        Returns a warning for each context that cannot be written; the others are still written.
        """
        newest = sorted(self._summaries, key=lambda each: (each.last, each.key))[-MAX_PER_RUN:]
        if only is not None:
            newest = [each for each in self._summaries if each.key in only]
        warnings = [*self.problems]
        for context, summaries in _group_by_context(_with_entries(self._home, newest)):
            try:
                write_context_memory(self._home, self._files, context, summaries)
            except FileError as error:
                warnings.append(str(error))
        return tuple(warnings)


def summarize_sessions(home: Home, sessions: Iterable[tuple[History, SessionFindings]], context: str) -> list[Summary]:
    """Return the summaries of sessions in one context."""
    from wisen.memory.summarize import summarize_history
    from wisen.text.standing_alone import stands_alone

    summaries = (each for session, mined in sessions for each in summarize_history(session, mined, stands_alone))
    return _with_entries(home, [each for each in summaries if each.context == context])


def write_context_memory(
    home: Home, files: Files, context: str, summaries: Sequence[Summary], *, dry_run: bool = False
) -> list[Path]:
    """Write the summaries and days of a context below the home. Returns the files that change. Raises: FileError."""
    folder, style = memory_folder(home.path, context), style_of(home, context)
    return write_memory(files, folder, summaries, style, dry_run=dry_run)


def style_of(home: Home, context: str) -> SummaryStyle:
    """Return the style that the memory of a context is written in."""
    names = {each.key: each.name for each in home.ledger.contexts.all()}
    return SummaryStyle(names.get(context, context), home.local)


def _with_entries(home: Home, summaries: Sequence[Summary]) -> list[Summary]:
    """Add to summaries the names of the entries that their learnings became."""
    wanted = {item.message for summary in summaries for item in summary.learnings if item.message}
    if not wanted:
        return [*summaries]
    from wisen.memory.summarize import with_entry_names

    entries = {each.message: each.entry for each in home.ledger.occurrences.of_messages(wanted)}
    names = {entry.id: entry.name for entry in home.ledger.entries.of(set(entries.values()))}
    return [with_entry_names(summary, lambda message: names.get(entries.get(message, ""), "")) for summary in summaries]


def _group_by_context(summaries: Iterable[Summary]) -> list[tuple[str, list[Summary]]]:
    by_context: dict[str, list[Summary]] = defaultdict(list)
    for summary in summaries:
        by_context[summary.context].append(summary)
    return sorted(by_context.items())
