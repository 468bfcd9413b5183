"""Keeps summaries and days of a context below the home, and remembers what was written there.

What a person changed or deleted is his: it is left as it is. Lines go to the end of a day and never change.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence  # noqa: TC003 - what was written is read back by its types
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.memory.days import candidates, chosen, source_of
from wisen.memory.summary_text import name_of, read_session, session_of, write_summary
from wisen.model.change import digest
from wisen.text.daily import added

if TYPE_CHECKING:
    from wisen.memory.days import DayCandidate
    from wisen.memory.summary_text import Setting
    from wisen.model.change import Seen
    from wisen.model.summary import Summary
    from wisen.system.machine_ports import Files

SESSIONS = "sessions"
"""The folder of summaries beside the days."""
_NOBODY = "-"
"""The folder of what was done outside of any project."""
_HIS = "?"
"""Stands for the digest of a file that is a person's."""


class MemoryFolder(NamedTuple):
    """Where the memory of a context is below the home."""

    folder: Path
    copy: Path
    """What was written there, in a file of its own."""


class WrittenMemory(msgspec.Struct, frozen=True):
    """What was written: the file and digest of each session's summary, and the keys of the lines of each day."""

    sessions: Mapping[str, tuple[str, str]] = {}
    lines: Mapping[str, Sequence[str]] = {}


def shelf_of(home: Path, context: str) -> MemoryFolder:
    """Where the memory of a context is below a home."""
    folder = home / "contexts" / (context or _NOBODY)
    return MemoryFolder(folder / "memory", folder / ".written" / "memory.json")


def keep(
    files: Files, shelf: MemoryFolder, summaries: Sequence[Summary], setting: Setting, *, dry_run: bool = False
) -> list[Path]:
    """Write summaries and the lines that they make, as far as they are new. Returns the files that change."""
    seen = files.read(shelf.copy)
    written = _read(seen.content)
    ordered = sorted(summaries, key=lambda each: (each.first, each.key))
    sessions, files_of_sessions = _sessions(files, shelf, ordered, setting, written.sessions)
    found = [candidate for summary in ordered for candidate in candidates(summary, setting)]
    lines, days = _days(files, shelf, chosen(found, written.lines), written.lines)
    changed = [*files_of_sessions, *days]
    if not dry_run:
        for file, content in changed:
            files.write(file, content)
        state = msgspec.json.encode(WrittenMemory(sessions, lines), order="sorted")
        if state != seen.content and (sessions or lines):
            files.write(seen, state)
    return [Path(file.path) for file, _ in changed]


def forget(
    files: Files, shelf: MemoryFolder, sessions: Collection[tuple[str, str]], sources: Collection[str]
) -> list[str]:
    """Take out what was written of sessions (agent and id), and the lines of days that tell of certain turns.

    A summary that a person changed is his, and stays. Returns the keys of the summaries that are gone: they can be
    written anew.
    """
    seen = files.read(shelf.copy)
    written = _read(seen.content)
    gone: list[str] = []
    for key, (name, last) in written.sessions.items():
        agent, _, rest = key.partition("/")
        if (agent, rest.rpartition("@")[0]) not in sessions:
            continue
        file = files.read(shelf.folder / SESSIONS / name)
        if file.digest == last:
            if file.content is not None:
                files.write(file, None)
            gone.append(key)
    for day in files.beside(shelf.folder / "-.md"):
        file = files.read(day)
        lines = (file.content or b"").decode("utf-8", "surrogateescape").splitlines(keepends=True)
        left = [line for line in lines if source_of(line.strip()) not in sources or not line.startswith("###")]
        if len(left) < len(lines):
            files.write(file, "".join(left).encode("utf-8", "surrogateescape"))
    if gone:
        left_over = {key: each for key, each in written.sessions.items() if key not in gone}
        files.write(seen, msgspec.json.encode(WrittenMemory(left_over, written.lines), order="sorted"))
    return gone


def _sessions(
    files: Files,
    shelf: MemoryFolder,
    summaries: Sequence[Summary],
    setting: Setting,
    known: Mapping[str, tuple[str, str]],
) -> tuple[dict[str, tuple[str, str]], list[tuple[Seen, bytes]]]:
    """The files of sessions with what they are to hold, where they do not yet and are not a person's."""
    sessions = dict(known)
    changed: list[tuple[Seen, bytes]] = []
    taken = {name for name, _ in known.values()}
    for summary in summaries:
        name, last = sessions.get(summary.key) or _named(files, shelf, summary, setting, taken)
        taken.add(name)
        content = write_summary(summary, name, setting).encode()
        if last != digest(content) and (seen := files.read(shelf.folder / SESSIONS / name)).digest == last:
            changed.append((seen, content))
            last = digest(content)
        sessions[summary.key] = name, last
    return sessions, changed


def _named(files: Files, shelf: MemoryFolder, summary: Summary, setting: Setting, taken: set[str]) -> tuple[str, str]:
    """A name that no summary of the day has, and the digest of what stands there.

    Where a run was stopped after it wrote the summary and before it noted that, it is found by what it says of itself.
    """
    number = 1
    while True:
        name = name_of(summary, number, setting)
        if name not in taken:
            content = files.read(shelf.folder / SESSIONS / name).content
            if content is None:
                return name, ""
            if read_session(content.decode("utf-8", "replace")) == session_of(summary):
                ours = content == write_summary(summary, name, setting).encode()
                return name, digest(content) if ours else _HIS
        number += 1


def _days(
    files: Files,
    shelf: MemoryFolder,
    new: Mapping[str, Sequence[DayCandidate]],
    known: Mapping[str, Sequence[str]],
) -> tuple[dict[str, Sequence[str]], list[tuple[Seen, bytes]]]:
    """The files of days with what they are to hold."""
    lines = dict(known)
    changed: list[tuple[Seen, bytes]] = []
    for day, found in new.items():
        seen = files.read(shelf.folder / f"{day}.md")
        content = seen.content or b""
        behind = added(content, [each.line for each in found], title=day)
        if behind:
            changed.append((seen, content + behind))
        lines[day] = [*lines.get(day, ()), *(each.key for each in found)]
    return lines, changed


def _read(content: bytes | None) -> WrittenMemory:
    """What was written; nothing where that cannot be read any more: what stands in the files is a person's then."""
    try:
        return msgspec.json.decode(content or b"{}", type=WrittenMemory)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return WrittenMemory()
