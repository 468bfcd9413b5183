"""The summary of a session, `memory/sessions/YYYY-MM-DD-NNN.md`, as text; the same value is always the same bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.model.summary import Summary, SummaryItem

NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{3,})\.md")
"""What such a file is called."""
HEADINGS = {
    "tasks": "Tasks Completed",
    "learnings": "Learnings",
    "skills": "Skills Generated",
    "feedback": "User Feedback",
    "open": "Open Items",
}
"""The headings in their order, by the part of a summary that stands below each."""
_NONE = "none"
_STRUCTURE = re.compile(r"\A(?=[#>*+-]|\d+[.)](?:\s|\Z))|(?=<[A-Za-z/!?])")
"""Where a text would be more than a text: at its beginning a heading, a quote or a list; anywhere HTML."""
_SESSION = re.compile(r"^- Session: (\S+) (\S+), began (\S+)\s*$", re.MULTILINE)


class SummaryStyle(NamedTuple):
    """What a summary is written with, besides itself."""

    project: str
    """The name of the context, for a person."""
    local: Callable[[datetime], datetime]
    """A moment as clocks show it here."""


def summary_file_name(summary: Summary, number: int, style: SummaryStyle) -> str:
    """The file name of the n-th session summary of a day: `2026-01-31-002.md`."""
    return f"{style.local(summary.first):%Y-%m-%d}-{number:03}.md"


def write_summary(summary: Summary, name: str, style: SummaryStyle) -> str:
    """The whole file."""
    first, last = style.local(summary.first), style.local(summary.last)
    until = f"{last:%H:%M}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M}"
    rows = (
        f"- Session: {describe_session(summary)}",
        f"- Project: {_one_line(style.project) or _NONE}",
        f"- Time: {first:%Y-%m-%d %H:%M} to {until}",
        f"- Counts: {summary.turns} typed turns, {summary.calls} calls, {summary.failed} of them failed",
    )
    parts = [f"# Session {name.removesuffix('.md')}", "\n".join(rows)]
    for part, heading in HEADINGS.items():
        items = [write_item(item, style) for item in getattr(summary, part)]
        parts.append(f"## {heading}\n\n" + ("\n".join(f"- {item}" for item in items) or _NONE))
    return "\n\n".join(parts) + "\n"


def write_item(item: SummaryItem, style: SummaryStyle) -> str:
    """An item in one line, with the turn it stands in."""
    measured = f"; {item.measured}" if item.measured else ""
    entry = f"{item.entry}, " if item.entry else ""
    turn = f"turn {item.turn}, " if item.turn else ""
    return f"{_one_line(item.text)}{_one_line(measured)} ({entry}{turn}{style.local(item.at):%H:%M})"


def describe_session(summary: Summary) -> str:
    """What tells in the file whose summary it is."""
    session = "".join(summary.session.split()).encode("utf-8", "replace").decode()
    return f"{summary.agent} {session}, began {summary.first:%Y-%m-%dT%H:%M:%SZ}"


def parse_session(text: str) -> str:
    """Whose summary a text is, as `session_of` tells it; empty where it is no summary of ours."""
    found = _SESSION.search(text)
    return "" if found is None else f"{found[1]} {found[2]}, began {found[3]}"


def _one_line(text: str) -> str:
    """A text in one line that means nothing but itself."""
    return _STRUCTURE.sub(r"\\", " ".join(text.encode("utf-8", "replace").decode().split()))
