"""Looks up in aider's input history whether and when a text was typed.

A chat records no times but its start, and may contain anything that looks typed. The input history is stored next to
the chats and holds every typed line with its time, including answers to questions, and nothing from a model.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.event_collector import parse_local_time
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.safety.regular_files import open_regular_file, read_at_most

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_LOOKAHEAD = 40
"""How many entries after the last match are searched: answers and commands may be in between."""

_RUN_COMMAND = "/run "
"""Commands that the user approved are in the history, too."""
_ANSWERS = {
    word[0]: tuple(word[:end] for end in range(1, len(word) + 1)) for word in ("yes", "no", "all", "skip", "don't")
}


class _Entry(NamedTuple):
    at: datetime
    text: str


class InputHistory:
    """The input history of one project; empty if it cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def typed_at(self, text: str, after: datetime) -> datetime | None:
        """Return when this was next typed after a time; None if the history does not contain it."""
        lines = [line for each in text.splitlines() if (line := each.strip())]
        joined = "\n".join(lines)
        first = bisect_right(self._entries, after, key=_time_of)
        for number in range(first, min(first + _LOOKAHEAD, len(self._entries))):
            entry = self._entries[number]
            if entry.text == joined:
                return entry.at
            # Text in braces is typed, and recorded, line by line.
            if entry.text == lines[0] and [each.text for each in self._entries[number : number + len(lines)]] == lines:
                return self._entries[number + len(lines) - 1].at
        return None

    def answered_at(self, letter: str, after: datetime) -> datetime | None:
        """Return when a question was answered this way, if the answer is the next thing typed after a time."""
        first = bisect_right(self._entries, after, key=_time_of)
        upcoming = self._entries[first : first + _LOOKAHEAD]
        entry = next((each for each in upcoming if not each.text.startswith(_RUN_COMMAND)), None)
        return entry.at if entry and entry.text.lower() in _ANSWERS.get(letter, ()) else None

    @cached_property
    def _entries(self) -> list[_Entry]:
        try:
            with open_regular_file(self._path) as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - MAX_RECORD_BYTES))
                data = read_at_most(file, MAX_RECORD_BYTES)
        except (OSError, ValueError):
            return []
        entries: list[_Entry] = []
        at: datetime | None = None
        lines: list[str] = []
        for line in [*data.decode("utf-8", "replace").split("\n"), "# "]:
            if line.startswith("+"):
                lines += [part.strip() for part in line[1:].splitlines()]
            elif line.startswith("# "):
                if at is not None and any(lines):
                    entries.append(_Entry(at, "\n".join(filter(None, lines))))
                at, lines = parse_local_time(line[2:].strip()), []
        return sorted(entries, key=_time_of)


def _time_of(entry: _Entry) -> datetime:
    return entry.at
