"""The memory of a workspace that keeps one itself: days and summaries go into its own files, as recorded edits.

What was written there before is told by the ledger. What somebody else touched, moved or deleted is left alone.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit import Editor, PassagePlan
from wisen.edits.past import past
from wisen.memory.days import candidates, chosen, key_of, source_of
from wisen.memory.keep import SESSIONS
from wisen.memory.summary_text import name_of, read_session, session_of, write_summary
from wisen.model.change import Fate, Passage
from wisen.text import daily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.edits.edit import Edit
    from wisen.edits.past import Desk
    from wisen.memory.summary_text import Setting
    from wisen.model.summary import DayLine, Summary

_WHY = "the memory of this workspace"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def append(desk: Desk, path: Path, lines: Sequence[DayLine], *, why: str, dry_run: bool) -> Edit | None:
    """Put lines to the end of a day; None where they stand there.

    Raises:
        UsageError: a line holds a secret.
        FileError: the file cannot be read or written.
    """
    seen = desk.files.read(path)
    behind = daily.added(seen.content or b"", lines, title=path.stem)
    if not behind:
        return None
    # The door parts it from what stands before.
    plan = PassagePlan(str(path), behind.lstrip(b"\r\n"), why, seen.digest)
    return Editor(desk).place(plan, dry_run=dry_run)


def put_down(desk: Desk, folder: Path, summaries: Sequence[Summary], setting: Setting, *, dry_run: bool) -> list[Edit]:
    """Write summaries and the lines that they make into a workspace.

    Raises:
        FileError: a file cannot be read or written.
    """
    was = _before(desk, folder)
    ordered = sorted(summaries, key=lambda each: (each.first, each.key))
    edits = _summaries(desk, folder, ordered, setting, was, dry_run=dry_run)
    found = [candidate for summary in ordered for candidate in candidates(summary, setting)]
    known = {day: [*was.lines.get(day, ())] for day in {each.day for each in found}}
    for day, keys in known.items():
        text = (desk.files.read(folder / f"{day}.md").content or b"").decode("utf-8", "replace")
        keys += [key for key in _keys(text) if key not in keys]
    for day, lines in chosen(found, known).items():
        path = folder / f"{day}.md"
        edit = append(desk, path, [each.line for each in lines], why=_WHY, dry_run=dry_run)
        edits += [edit] if edit is not None else []
    return edits


class _Before(NamedTuple):
    """What was written into a workspace before."""

    sessions: dict[str, tuple[Path, bytes]]
    """By session, the file and what was last written to it."""
    lines: dict[str, list[str]]
    """By day, the keys of the lines that it got."""


def _before(desk: Desk, folder: Path) -> _Before:
    was = _Before({}, {})
    known = past(desk)
    for change in known.changes:
        path = Path(change.path)
        if not isinstance(change.deed, Passage) or known.fates[change.id] is Fate.NOT_MADE:
            continue
        text = change.deed.new.decode("utf-8", "replace")
        if path.parent == folder / SESSIONS and (session := read_session(text)):
            was.sessions[session] = path, change.deed.new
        elif path.parent == folder and _DAY.fullmatch(path.stem):
            was.lines.setdefault(path.stem, []).extend(_keys(text))
    return was


def _keys(text: str) -> list[str]:
    return [key_of(line) for line in daily.read_day(text) if source_of(line.text)]


def _summaries(
    desk: Desk, folder: Path, summaries: Sequence[Summary], setting: Setting, was: _Before, *, dry_run: bool
) -> list[Edit]:
    editor, edits = Editor(desk), list["Edit"]()
    taken = {path.name for path, _ in was.sessions.values()}
    for summary in summaries:
        known = was.sessions.get(session_of(summary))
        path, old = known or (_free(folder / SESSIONS, summary, setting, taken), b"")
        taken.add(path.name)
        seen = desk.files.read(path)
        new = write_summary(summary, path.name, setting).encode()
        if new == old or (known and (seen.content or b"").count(old) != 1):
            continue
        edits.append(editor.place(PassagePlan(str(path), new, _WHY, seen.digest, old), dry_run=dry_run))
    return edits


def _free(folder: Path, summary: Summary, setting: Setting, taken: set[str]) -> Path:
    number = 1
    while (name := name_of(summary, number, setting)) in taken or (folder / name).exists():
        number += 1
    return folder / name
