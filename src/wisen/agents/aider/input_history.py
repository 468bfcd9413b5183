"""What was typed at aider's prompt, and when: its input history, which lies beside the chats.

A chat tells when it began and nothing else of time, and anything may stand there that looks as if it was typed. The
input history holds every line with its moment, answers to questions too, and nothing that a model said.
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
"""How many entries after the last one that was found are looked at: answers and commands may stand between."""

_RUN_COMMAND = "/run "
"""Commands that the user agreed to are noted too."""
_ANSWERS = {
    word[0]: tuple(word[:end] for end in range(1, len(word) + 1)) for word in ("yes", "no", "all", "skip", "don't")
}


class _Entry(NamedTuple):
    at: datetime
    text: str


class InputHistory:
    """The input history of one project; one that cannot be read holds nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def typed_at(self, text: str, after: datetime) -> datetime | None:
        """When this was typed next after a moment; None where that is not told."""
        lines = [line for each in text.splitlines() if (line := each.strip())]
        whole = "\n".join(lines)
        first = bisect_right(self._entries, after, key=_at)
        for number in range(first, min(first + _LOOKAHEAD, len(self._entries))):
            entry = self._entries[number]
            if entry.text == whole:
                return entry.at
            # What stands between braces is typed, and noted, line by line.
            if entry.text == lines[0] and [each.text for each in self._entries[number : number + len(lines)]] == lines:
                return self._entries[number + len(lines) - 1].at
        return None

    def answered_at(self, letter: str, after: datetime) -> datetime | None:
        """When a question was answered so, if the next that was typed after a moment is the answer."""
        first = bisect_right(self._entries, after, key=_at)
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
        found: list[_Entry] = []
        at: datetime | None = None
        lines: list[str] = []
        for line in [*data.decode("utf-8", "replace").split("\n"), "# "]:
            if line.startswith("+"):
                lines += [part.strip() for part in line[1:].splitlines()]
            elif line.startswith("# "):
                if at is not None and any(lines):
                    found.append(_Entry(at, "\n".join(filter(None, lines))))
                at, lines = parse_local_time(line[2:].strip()), []
        return sorted(found, key=_at)


def _at(entry: _Entry) -> datetime:
    return entry.at
