"""Writes the summaries and daily logs of a context below the home, and records what was written there.

Files that a person changed or deleted are left alone. Lines are appended to a day and never change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence  # noqa: TC003 - msgspec decodes by these types
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.memory.day_lines import choose_lines, day_candidates, source_of
from wisen.memory.summary_text import describe_session, parse_session, summary_file_name, write_summary
from wisen.model.change import content_digest
from wisen.text.daily import append_day_lines

if TYPE_CHECKING:
    from wisen.memory.day_lines import DayCandidate
    from wisen.memory.summary_text import SummaryStyle
    from wisen.model.change import FileVersion
    from wisen.model.summary import Summary
    from wisen.system.machine_ports import Files

SESSIONS = "sessions"
"""The folder of summaries, next to the days."""
_NO_PROJECT = "-"
"""The folder of work outside of any project."""
_EDITED = "?"
"""Placeholder for the digest of a file that a person edited."""


class MemoryFolder(NamedTuple):
    """The location of a context's memory below the home."""

    folder: Path
    record: Path
    """The file that records what was written there."""


class WrittenMemory(msgspec.Struct, frozen=True):
    """The record of what was written: file and digest of each session's summary, and the line keys of each day."""

    sessions: Mapping[str, tuple[str, str]] = {}
    lines: Mapping[str, Sequence[str]] = {}


def memory_folder(home: Path, context: str) -> MemoryFolder:
    """Return the location of a context's memory below a home."""
    folder = home / "contexts" / (context or _NO_PROJECT)
    return MemoryFolder(folder / "memory", folder / ".written" / "memory.json")


def write_memory(
    files: Files, folder: MemoryFolder, summaries: Sequence[Summary], style: SummaryStyle, *, dry_run: bool = False
) -> list[Path]:
    """Write new summaries and the day lines made from them. Returns the files that change."""
    record_file = files.read(folder.record)
    written = _read_record(record_file.content)
    ordered = sorted(summaries, key=lambda each: (each.first, each.key))
    sessions, session_files = _changed_sessions(files, folder, ordered, style, written.sessions)
    candidates = [candidate for summary in ordered for candidate in day_candidates(summary, style)]
    lines, days = _changed_days(files, folder, choose_lines(candidates, written.lines), written.lines)
    changed = [*session_files, *days]
    if not dry_run:
        for file, content in changed:
            files.write(file, content)
        state = msgspec.json.encode(WrittenMemory(sessions, lines), order="sorted")
        if state != record_file.content and (sessions or lines):
            files.write(record_file, state)
    return [Path(file.path) for file, _ in changed]


def remove_written(
    files: Files, folder: MemoryFolder, sessions: Collection[tuple[str, str]], sources: Collection[str]
) -> list[str]:
    """Remove the summaries of sessions (agent and id), and the day lines with the given sources.

    A summary that a person changed stays. Returns the keys of the removed summaries: they can be written again.
    """
    record_file = files.read(folder.record)
    written = _read_record(record_file.content)
    removed: list[str] = []
    for key, (name, last) in written.sessions.items():
        agent, _, rest = key.partition("/")
        if (agent, rest.rpartition("@")[0]) not in sessions:
            continue
        file = files.read(folder.folder / SESSIONS / name)
        if file.digest == last:
            if file.content is not None:
                files.write(file, None)
            removed.append(key)
    for day in files.siblings(folder.folder / "-.md"):
        file = files.read(day)
        lines = (file.content or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True)
        kept_lines = [line for line in lines if source_of(line.strip()) not in sources or not line.startswith("###")]
        if len(kept_lines) < len(lines):
            files.write(file, "".join(kept_lines).encode("utf-8", "surrogateescape"))
    if removed:
        remaining = {key: each for key, each in written.sessions.items() if key not in removed}
        files.write(record_file, msgspec.json.encode(WrittenMemory(remaining, written.lines), order="sorted"))
    return removed


def _changed_sessions(
    files: Files,
    folder: MemoryFolder,
    summaries: Sequence[Summary],
    style: SummaryStyle,
    known: Mapping[str, tuple[str, str]],
) -> tuple[dict[str, tuple[str, str]], list[tuple[FileVersion, bytes]]]:
    """Return the record and the session files to write, where the content changed and no person edited the file."""
    sessions = dict(known)
    changed: list[tuple[FileVersion, bytes]] = []
    used_names = {name for name, _ in known.values()}
    for summary in summaries:
        name, last = sessions.get(summary.key) or _choose_name(files, folder, summary, style, used_names)
        used_names.add(name)
        content = write_summary(summary, name, style).encode()
        if last != content_digest(content) and (file := files.read(folder.folder / SESSIONS / name)).digest == last:
            changed.append((file, content))
            last = content_digest(content)
        sessions[summary.key] = name, last
    return sessions, changed


def _choose_name(
    files: Files, folder: MemoryFolder, summary: Summary, style: SummaryStyle, used_names: set[str]
) -> tuple[str, str]:
    """Return a name that no summary of the day has, and the digest of the file there.

    If a run was killed after writing the summary and before recording it, the file is recognized by its session line.
    """
    number = 1
    while True:
        name = summary_file_name(summary, number, style)
        if name not in used_names:
            content = files.read(folder.folder / SESSIONS / name).content
            if content is None:
                return name, ""
            if parse_session(content.decode("utf-8", "replace")) == describe_session(summary):
                ours = content == write_summary(summary, name, style).encode()
                return name, content_digest(content) if ours else _EDITED
        number += 1


def _changed_days(
    files: Files,
    folder: MemoryFolder,
    new: Mapping[str, Sequence[DayCandidate]],
    known: Mapping[str, Sequence[str]],
) -> tuple[dict[str, Sequence[str]], list[tuple[FileVersion, bytes]]]:
    """Return the record and the day files to write."""
    lines = dict(known)
    changed: list[tuple[FileVersion, bytes]] = []
    for day, candidates in new.items():
        file = files.read(folder.folder / f"{day}.md")
        content = file.content or b""
        addition = append_day_lines(content, [each.line for each in candidates], title=day)
        if addition:
            changed.append((file, content + addition))
        lines[day] = [*lines.get(day, ()), *(each.key for each in candidates)]
    return lines, changed


def _read_record(content: bytes | None) -> WrittenMemory:
    """Read the record; empty where it is unreadable: then all files count as edited by a person."""
    try:
        return msgspec.json.decode(content or b"{}", type=WrittenMemory)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return WrittenMemory()
