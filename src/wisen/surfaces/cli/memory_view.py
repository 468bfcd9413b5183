"""`wisen memory` and `wisen note`: the days and session summaries of a project."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.summary import is_day
from wisen.surfaces.cli.render import console, plural, print_json, say, table
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from wisen.learner import Learner
    from wisen.memory.memory_overview import MemoryCounts, MemoryOverview

_SHOWN = 30


def add_note(text: str, *, mark: str, dry_run: bool, as_json: bool) -> int:
    """Add a line to today's notes."""
    wires = app.wire()
    if not dry_run and is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        noted = learner.memory.add_note(text, Path.cwd(), mark=mark, dry_run=dry_run)
    if as_json:
        print_json({"path": noted.path, "line": noted.line, "is_new": noted.is_new, "dry_run": dry_run})
        return 0
    would = "is there already" if not noted.is_new else "would be written" if dry_run else "is written"
    out = console()
    out.print(f"{noted.line.mark.symbol} {noted.line.time} - {noted.line.text}", markup=False)
    out.print(f"    it {would}: {noted.path}", style="dim", markup=False)
    return 0


def list_days(*, as_json: bool) -> int:
    """List the days of this project."""
    with app.wire().learner(reads=False) as learner:
        found, sessions = learner.memory.days(Path.cwd()), learner.memory.summaries(Path.cwd())
    if as_json:
        day_rows = [{"day": each.day, "path": each.path, "lines": each.lines} for each in found]
        print_json({"days": day_rows, "sessions": sessions})
        return 0
    out = console()
    if not found:
        out.print("Nothing is kept of this project yet. wisen learn reads your sessions; wisen note adds a line.")
    for each in found[:_SHOWN]:
        marks = Counter(line.mark for line in each.lines)
        out.print(f"{each.day}  {'  '.join(f'{mark.symbol} {many}' for mark, many in marks.items())}", markup=False)
    if len(found) > _SHOWN:
        out.print(f"and {len(found) - _SHOWN:,} more: wisen memory days --json", style="dim")
    if sessions:
        many = plural(len(sessions), "session has a summary", "sessions have summaries")
        out.print(f"{many}, the newest {sessions[0].stem}: wisen memory show {sessions[0].stem}", markup=False)
    return 0


def show_overview(*, as_json: bool) -> int:
    """Show what is kept of this project and of all, and the command for each part."""
    wires = app.wire()
    if not wires.ever_used:
        if as_json:
            print_json({"days": [], "sessions": []})
        else:
            say("Nothing is kept yet. Start with: wisen learn")
        return 0
    with wires.learner(reads=False) as learner:
        kept = learner.memory.overview(Path.cwd())
    if as_json:
        day_rows = [{"day": each.day, "path": each.path, "lines": each.lines} for each in kept.days]
        counts = {"project": kept.name, "here": kept.here._asdict(), "everywhere": kept.everywhere._asdict()}
        print_json({"days": day_rows, "sessions": kept.summaries} | counts)
        return 0
    out = console()
    if kept.name:
        out.print(f"Kept of this project ({kept.name}): {_describe_counts(kept.here)}.")
        out.print(f"Of all projects: {_describe_counts(kept.everywhere)}.")
    else:
        out.print(f"This directory is not in a known project. Of all projects: {_describe_counts(kept.everywhere)}.")
    out.print("How to see each part:")
    rows = table("kept", "part", "command", right=("kept",))
    rows.add_row(f"{kept.here.memories:,}", "what was said and done, for search", 'wisen recall "some words"')
    rows.add_row(f"{len(kept.days):,}", "days, a line for each event that mattered", "wisen memory days")
    rows.add_row(f"{len(kept.summaries):,}", "summaries of sessions", _summary_command(kept))
    rows.add_row(f"{kept.here.entries:,}", "lessons", "wisen lessons")
    rows.add_row(f"{kept.here.rules:,}", "rules that you approved", "wisen rules")
    out.print(rows)
    if kept.here.sessions and not kept.summaries:
        out.print("Days and summaries are written when sessions end. For earlier sessions: wisen memory write")
    return 0


def _describe_counts(kept: MemoryCounts) -> str:
    return (
        f"{plural(kept.sessions, 'session')}, {plural(kept.entries, 'lesson')} "
        f"({plural(kept.rules, 'approved rule')}), {plural(kept.memories, 'memory', 'memories')}"
    )


def _summary_command(kept: MemoryOverview) -> str:
    return f"wisen memory show {kept.summaries[0].stem}" if kept.summaries else "wisen memory show SESSION"


def show_memory(name: str | None, *, as_json: bool) -> int:
    """Show a day, by default the newest, or the summary of a session."""
    with app.wire().learner(reads=False) as learner:
        if name is None or is_day(name):
            return _show_day(learner, name, as_json=as_json)
        found = learner.memory.summary_of(name, Path.cwd())
    if as_json:
        print_json({"summaries": [{"name": each.name, "text": each.text} for each in found]})
        return 0
    for each in found:
        console().print(each.text, markup=False)
    return 0


def write_files(*, dry_run: bool, as_json: bool) -> int:
    """Write every summary and day of this project."""
    with app.wire().learner(reads=False) as learner:
        paths = learner.memory.write_summaries(Path.cwd(), dry_run=dry_run)
    if as_json:
        print_json({"files": paths, "dry_run": dry_run})
        return 0
    out = console()
    if not paths:
        out.print("There is nothing to write: the files of this project are up to date.")
    for path in paths:
        out.print(f"{path} {'would be' if dry_run else 'is'} written.", markup=False)
    return 0


def _show_day(learner: Learner, name: str | None, *, as_json: bool) -> int:
    every = learner.memory.days(Path.cwd())
    day = name or (every[0].day if every else "")
    found = [each for each in every if each.day == day]
    if as_json:
        print_json({"day": day, "lines": [line for each in found for line in each.lines]})
        return 0
    out = console()
    if not found:
        out.print(f"Nothing is kept of {day or 'this project'}. All days: wisen memory days")
    for each in found:
        out.print(f"{each.day}  {each.path}", style="dim", markup=False)
        for line in each.lines:
            out.print(f"{line.mark.symbol} {line.time} - {line.text}", markup=False)
    return 0
