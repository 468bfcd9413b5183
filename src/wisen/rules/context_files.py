"""Context files that people read and edit: rules.md and corrections.md of each context, written after each run.

Edits since the last run are detected first. Any program may have made them, so the user is asked: a new line may be a
rule of theirs, a changed line their wording, a missing line a rule they no longer want. A copy of what we last wrote
is kept, to tell edits from our own text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import EntryStatus, MoveKind
from wisen.rules.overview import GLOBAL, IndexRow, write_index, write_meta
from wisen.rules.rule_merge import merge_rules
from wisen.rules.rule_retention import (
    CONTEXT_CORRECTIONS,
    CONTEXT_RULES,
    CONTEXT_STALE,
    GLOBAL_CORRECTIONS,
    GLOBAL_RULES,
    GLOBAL_STALE,
    age_line,
    archive_excess,
)
from wisen.rules.rule_text import RuleLine, find_edits, read_rules
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from wisen.model.entry import Entry, Move
    from wisen.model.entry_state import EntryState
    from wisen.system.machine_ports import Files

_RULES, _CORRECTIONS, _META = "rules.md", "corrections.md", "meta.md"
_INTRO = {
    _RULES: "The rules in force here: what you said and approved.",
    _CORRECTIONS: "What you corrected here: each becomes a rule when you approve it.",
}


class ContextFiles(NamedTuple):
    """The context files of one context."""

    key: str
    """Empty for the global context."""
    name: str
    folder: Path
    aliases: tuple[str, ...] = ()


class HandEdit(NamedTuple):
    """An edit of a file by hand, or by a program."""

    words: tuple[str, ...]
    """The equivalent command, without `wisen`."""
    path: str


class ImportedRows(NamedTuple):
    """Rows read from files that others wrote."""

    entries: list[Entry]
    moves: list[Move]


def context_files(home: Path, key: str, name: str, aliases: Iterable[str] = ()) -> ContextFiles:
    """Return the context files of a context below a home."""
    folder = home / "contexts" / key if key else home / GLOBAL
    return ContextFiles(key, name or GLOBAL, folder, tuple(aliases))


def page_paths(context: ContextFiles) -> tuple[Path, ...]:
    """Return every file that is written for a context."""
    pages = (context.folder / name for name in (_RULES, _CORRECTIONS, _META))
    return (*pages, *(_written_copy(context, name) for name in (_RULES, _CORRECTIONS)))


def is_edited(files: Files, context: ContextFiles) -> bool:
    """Whether a file of a context is not as it was written. Raises: FileError."""
    for name in (_CORRECTIONS, _RULES):
        now = files.read(context.folder / name).content
        if now is not None and now != files.read(_written_copy(context, name)).content:
            return True
    return False


def find_hand_edits(files: Files, context: ContextFiles, by_rule_id: Mapping[str, EntryState]) -> list[HandEdit]:
    """Return the edits of a context's files since they were written; `by_rule_id` maps rule ids to entries."""
    pages = {}
    for name in (_CORRECTIONS, _RULES):
        now, written = _text(files, context.folder / name), _text(files, _written_copy(context, name))
        if now is not None and now != written:
            pages[name] = (written or "", now)
    return commands_for_edits(context, pages, by_rule_id)


def commands_for_edits(
    context: ContextFiles, pages: Mapping[str, tuple[str, str]], by_rule_id: Mapping[str, EntryState]
) -> list[HandEdit]:
    """Translate edits of pages, each before and after, into the commands that say the same."""
    commands: list[HandEdit] = []
    added, removed = dict[str, str](), dict[str, str]()
    for name, (before, after) in pages.items():
        path, done = str(context.folder / name), find_edits(before, after)
        for line in done.added:
            if line.id in by_rule_id:
                added[line.id] = path
            elif rule_against(line.text) is None:
                words = ("rules", "add", line.text, *(("--context", context.key) if context.key else ("--global",)))
                commands.append(HandEdit((*words, *(() if name == _RULES else ("--pending",))), path))
        for _, line in done.reworded:
            if line.id in by_rule_id and rule_against(line.text) is None:
                commands.append(HandEdit(_set_command(by_rule_id[line.id], MoveKind.TEXT, line.text), path))
        for old, line in done.moved:
            if line.id in by_rule_id and (old.status == "archived") != (line.status == "archived"):
                back = EntryStatus.PROMOTED if name == _RULES else EntryStatus.PENDING
                value = EntryStatus.RESOLVED if line.status == "archived" else back
                commands.append(HandEdit(_set_command(by_rule_id[line.id], MoveKind.STATUS, value), path))
        removed |= {line.id: path for line in done.removed if line.id in by_rule_id}
    for id_, path in added.items():
        value = EntryStatus.PROMOTED if path.endswith(_RULES) else EntryStatus.PENDING
        commands.append(HandEdit(_set_command(by_rule_id[id_], MoveKind.STATUS, value), path))
    for id_ in [each for each in removed if each not in added]:
        commands.append(HandEdit(_set_command(by_rule_id[id_], MoveKind.STATUS, EntryStatus.WONT_FIX), removed[id_]))
    return commands


def read_rules_page(files: Files, context: ContextFiles) -> str:
    """Return the current rules page; empty if there is none."""
    return _text(files, context.folder / _RULES) or ""


def write_context_files(
    files: Files,
    context: ContextFiles,
    states: Sequence[tuple[str, EntryState]],
    today: date,
    delivered: Mapping[str, date] | None = None,
    conflicts: Sequence[RuleLine] = (),
) -> IndexRow | None:
    """Write the files of a context; `states` are its entries with their rule ids. None if it has none.

    `delivered`: by rule id, the day of its last delivery; `conflicts`: entries that contradict each other.
    """
    everywhere = not context.key
    window = GLOBAL_STALE if everywhere else CONTEXT_STALE
    rules = [
        age_line(_line(id_, each, "confirmed"), (delivered or {}).get(id_), today, window)
        for id_, each in states
        if each.is_rule
    ]
    pending = [
        _line(id_, each, "pending") for id_, each in states if each.status is EntryStatus.PENDING and not each.is_over
    ]
    for name, lines, limit in (
        (_RULES, rules, GLOBAL_RULES if everywhere else CONTEXT_RULES),
        (_CORRECTIONS, pending, GLOBAL_CORRECTIONS if everywhere else CONTEXT_CORRECTIONS),
    ):
        fresh = (*archive_excess(lines, limit=limit), *(conflicts if name == _CORRECTIONS else ()))
        _write_page(files, context, name, fresh)
    if not rules and not pending:
        return None
    counts = {"Rules": len(rules), "Corrections": len(pending)}
    _put(
        files,
        context.folder / _META,
        write_meta(context.key or GLOBAL, context.name, context.aliases, counts, today),
    )
    return IndexRow(context.key or GLOBAL, context.name, len(rules), len(pending), today)


def write_context_index(files: Files, home: Path, rows: Iterable[IndexRow]) -> None:
    """Write the index of all contexts."""
    rows = tuple(rows)
    if rows:
        _put(files, home / "index.md", write_index(rows))


def _write_page(files: Files, context: ContextFiles, name: str, fresh: Sequence[RuleLine]) -> None:
    now, before = _text(files, context.folder / name) or "", _text(files, _written_copy(context, name)) or ""
    if not fresh and not before:
        return
    if now == before and read_rules(before) == tuple(fresh):
        return
    new = merge_rules(
        before, now, fresh, title=f"{name.removesuffix('.md').capitalize()}: {context.name}", intro=_INTRO[name]
    )
    _put(files, context.folder / name, new)
    _put(files, _written_copy(context, name), new)


def _line(id_: str, state: EntryState, status: str) -> RuleLine:
    entry = state.entry
    return RuleLine(
        id=id_,
        text=state.text,
        status="confirmed" if status == "confirmed" else "pending",
        last_used=None if state.used is None else state.used.date(),
        sessions=state.sessions,
        sources=(entry.name,),
        about=entry.about.value if entry.about else "other",
    )


def _set_command(state: EntryState, kind: MoveKind, value: str) -> tuple[str, ...]:
    return ("entries", "set", state.entry.name, kind.value, value)


def _written_copy(context: ContextFiles, name: str) -> Path:
    """Return the path of the copy of what we last wrote."""
    return context.folder / ".written" / name


def _text(files: Files, path: Path) -> str | None:
    content = files.read(path).content
    return None if content is None else content.decode("utf-8", "surrogateescape")


def _put(files: Files, path: Path, text: str) -> None:
    seen = files.read(path)
    content = text.encode("utf-8", "surrogateescape")
    if content != seen.content:
        files.write(seen, content)
