"""Writes days and summaries into the memory of a workspace that keeps one itself, as recorded edits.

The ledger knows what was written there before. What somebody else changed, moved or deleted is left alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor, PassagePlan
from wisen.memory.day_lines import choose_lines, day_candidates, key_of, source_of
from wisen.memory.memory_files import SESSIONS
from wisen.memory.summary_text import describe_session, parse_session, summary_file_name, write_summary
from wisen.model.change import ChangeFate, PassageEdit
from wisen.text import daily
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.memory.summary_text import SummaryStyle
    from wisen.model.summary import DayLine, Summary

_REASON = "the memory of this workspace"
_DAY = lazy_regex(r"\d{4}-\d{2}-\d{2}")


def append_lines(
    edit_ports: EditPorts, path: Path, lines: Sequence[DayLine], *, why: str, dry_run: bool
) -> Edit | None:
    """Append lines to a day; None where they are there already.

    Raises:
        UsageError: a line contains a secret.
        FileError: the file cannot be read or written.
    """
    file = edit_ports.files.read(path)
    addition = daily.append_day_lines(file.content or b"", lines, title=path.stem)
    if not addition:
        return None
    # The editor separates it from the text before.
    plan = PassagePlan(str(path), addition.lstrip(b"\r\n"), why, file.digest)
    return Editor(edit_ports).add_passage(plan, dry_run=dry_run)


def write_to_workspace(
    edit_ports: EditPorts, folder: Path, summaries: Sequence[Summary], style: SummaryStyle, *, dry_run: bool
) -> list[Edit]:
    """Write summaries and the day lines made from them into a workspace.

    Raises:
        FileError: a file cannot be read or written.
    """
    written = _read_written(edit_ports, folder)
    ordered = sorted(summaries, key=lambda each: (each.first, each.key))
    edits = _write_summary_files(edit_ports, folder, ordered, style, written, dry_run=dry_run)
    candidates = [candidate for summary in ordered for candidate in day_candidates(summary, style)]
    known = {day: [*written.lines.get(day, ())] for day in {each.day for each in candidates}}
    for day, keys in known.items():
        text = (edit_ports.files.read(folder / f"{day}.md").content or b"").decode("utf-8", "replace")
        keys += [key for key in _line_keys(text) if key not in keys]
    for day, lines in choose_lines(candidates, known).items():
        path = folder / f"{day}.md"
        edit = append_lines(edit_ports, path, [each.line for each in lines], why=_REASON, dry_run=dry_run)
        edits += [edit] if edit is not None else []
    return edits


class _Written(NamedTuple):
    """What was written to a workspace before."""

    sessions: dict[str, tuple[Path, bytes]]
    """The file of each session and what was last written to it."""
    lines: dict[str, list[str]]
    """The keys of the lines written to each day."""


def _read_written(edit_ports: EditPorts, folder: Path) -> _Written:
    written = _Written({}, {})
    known = edit_history(edit_ports)
    for change in known.changes:
        path = Path(change.path)
        if not isinstance(change.operation, PassageEdit) or known.fates[change.id] is ChangeFate.NOT_MADE:
            continue
        text = change.operation.new.decode("utf-8", "replace")
        if path.parent == folder / SESSIONS and (session := parse_session(text)):
            written.sessions[session] = path, change.operation.new
        elif path.parent == folder and _DAY.fullmatch(path.stem):
            written.lines.setdefault(path.stem, []).extend(_line_keys(text))
    return written


def _line_keys(text: str) -> list[str]:
    return [key_of(line) for line in daily.read_day(text) if source_of(line.text)]


def _write_summary_files(
    edit_ports: EditPorts,
    folder: Path,
    summaries: Sequence[Summary],
    style: SummaryStyle,
    written: _Written,
    *,
    dry_run: bool,
) -> list[Edit]:
    editor, edits = Editor(edit_ports), list["Edit"]()
    used_names = {path.name for path, _ in written.sessions.values()}
    for summary in summaries:
        known = written.sessions.get(describe_session(summary))
        path, old = known or (_unused_path(folder / SESSIONS, summary, style, used_names), b"")
        used_names.add(path.name)
        file = edit_ports.files.read(path)
        new = write_summary(summary, path.name, style).encode()
        if new == old or (known and (file.content or b"").count(old) != 1):
            continue
        edits.append(editor.add_passage(PassagePlan(str(path), new, _REASON, file.digest, old), dry_run=dry_run))
    return edits


def _unused_path(folder: Path, summary: Summary, style: SummaryStyle, used_names: set[str]) -> Path:
    number = 1
    while (name := summary_file_name(summary, number, style)) in used_names or (folder / name).exists():
        number += 1
    return folder / name
