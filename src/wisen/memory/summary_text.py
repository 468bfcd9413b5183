"""Renders session summaries (`memory/sessions/YYYY-MM-DD-NNN.md`); the same summary always gives the same bytes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from wisen.model.summary import Summary, SummaryItem

NAME = lazy_regex(r"(\d{4}-\d{2}-\d{2})-(\d{3,})\.md")
"""The pattern of summary file names."""
HEADINGS = {
    "tasks": "Tasks Completed",
    "learnings": "Learnings",
    "skills": "Skills Generated",
    "feedback": "User Feedback",
    "open": "Open Items",
}
"""The headings in order, by the field of a summary below each."""
_NONE = "none"
_STRUCTURE = lazy_regex(r"\A(?=[#>*+-]|\d+[.)](?:\s|\Z))|(?=<[A-Za-z/!?])")
"""Where a text would be Markdown structure: a heading, quote or list at its beginning; HTML anywhere."""
_SESSION = lazy_regex(r"^- Session: (\S+) (\S+), began (\S+)\s*$", re.MULTILINE)


class SummaryStyle(NamedTuple):
    """The project name and local time that a summary is rendered with."""

    project: str
    """The display name of the context."""
    local: Callable[[datetime], datetime]
    """Converts a time to local time."""


def summary_file_name(summary: Summary, number: int, style: SummaryStyle) -> str:
    """Return the file name of the n-th session summary of a day: `2026-01-31-002.md`."""
    return f"{style.local(summary.first):%Y-%m-%d}-{number:03}.md"


def write_summary(summary: Summary, name: str, style: SummaryStyle) -> str:
    """Render the whole file."""
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
    """Render an item in one line, with its turn."""
    measured = f"; {item.measured}" if item.measured else ""
    entry = f"{item.entry}, " if item.entry else ""
    turn = f"turn {item.turn}, " if item.turn else ""
    return f"{_one_line(item.text)}{_one_line(measured)} ({entry}{turn}{style.local(item.at):%H:%M})"


def describe_session(summary: Summary) -> str:
    """Return the text that identifies the session in its summary file."""
    session = "".join(summary.session.split()).encode("utf-8", "replace").decode()
    return f"{summary.agent} {session}, began {summary.first:%Y-%m-%dT%H:%M:%SZ}"


def parse_session(text: str) -> str:
    """Return the session that a summary identifies, as `describe_session` does; empty where it is not a summary."""
    match = _SESSION.search(text)
    return "" if match is None else f"{match[1]} {match[2]}, began {match[3]}"


def _one_line(text: str) -> str:
    """Return a text in one line, with Markdown structure escaped."""
    return _STRUCTURE.sub(r"\\", " ".join(text.encode("utf-8", "replace").decode().split()))
