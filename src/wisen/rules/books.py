"""The books that people read and edit: rules.md and corrections.md of each context, written after a turn.

What was done to them since is noticed before. Any program may have done it, so that the user is asked: a new line may
be a rule of theirs, other words their words, a line that is gone one that they no longer want. What we last wrote is
kept beside, so that the two can be told apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import EntryStatus, MoveKind
from wisen.rules.overview import GLOBAL, IndexRow, write_index, write_meta
from wisen.rules.rule_merge import merged
from wisen.rules.rule_retention import (
    CONTEXT_CORRECTIONS,
    CONTEXT_RULES,
    CONTEXT_STALE,
    GLOBAL_CORRECTIONS,
    GLOBAL_RULES,
    GLOBAL_STALE,
    aged,
    retained,
)
from wisen.rules.rule_text import RuleLine, edits, read_rules
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from pathlib import Path

    from wisen.model.entry import Entry, Move
    from wisen.model.entry_state import EntryState
    from wisen.system.machine_ports import Files

_RULES, _CORRECTIONS = "rules.md", "corrections.md"
_INTRO = {
    _RULES: "The rules that hold here: what you said and approved.",
    _CORRECTIONS: "What you corrected here: each becomes a rule when you approve it.",
}


class Book(NamedTuple):
    """The books of one context."""

    key: str
    """Empty for everywhere."""
    name: str
    folder: Path
    aliases: tuple[str, ...] = ()


class HandEdit(NamedTuple):
    """Something that was done to a file by hand, or by a program."""

    words: tuple[str, ...]
    """The command by which a person says the same, without wisen's name."""
    path: str


class Taken(NamedTuple):
    """What stands in files of others, as rows."""

    entries: list[Entry]
    moves: list[Move]


def book_of(home: Path, key: str, name: str, aliases: Iterable[str] = ()) -> Book:
    """The books of a context below a home."""
    folder = home / "contexts" / key if key else home / GLOBAL
    return Book(key, name or GLOBAL, folder, tuple(aliases))


def hand_edits(files: Files, book: Book, of: Mapping[str, EntryState]) -> list[HandEdit]:
    """What was done to the books of a context since they were written; `of` are the entries by the ids of rules."""
    pages = {}
    for name in (_CORRECTIONS, _RULES):
        now, written = _text(files, book.folder / name), _text(files, _copy(book, name))
        if now is not None and now != written:
            pages[name] = (written or "", now)
    return page_edits(book, pages, of)


def page_edits(book: Book, pages: Mapping[str, tuple[str, str]], of: Mapping[str, EntryState]) -> list[HandEdit]:
    """What was done to pages of a book, as the commands by which a person says the same; each page before and after."""
    found: list[HandEdit] = []
    added, removed = dict[str, str](), dict[str, str]()
    for name, (before, after) in pages.items():
        path, done = str(book.folder / name), edits(before, after)
        for line in done.added:
            if line.id in of:
                added[line.id] = path
            elif rule_against(line.text) is None:
                words = ("rules", "add", line.text, *(("--context", book.key) if book.key else ("--global",)))
                found.append(HandEdit((*words, *(() if name == _RULES else ("--pending",))), path))
        for _, line in done.reworded:
            if line.id in of and rule_against(line.text) is None:
                found.append(HandEdit(_set(of[line.id], MoveKind.TEXT, line.text), path))
        for old, line in done.moved:
            if line.id in of and (old.status == "archived") != (line.status == "archived"):
                back = EntryStatus.PROMOTED if name == _RULES else EntryStatus.PENDING
                value = EntryStatus.RESOLVED if line.status == "archived" else back
                found.append(HandEdit(_set(of[line.id], MoveKind.STATUS, value), path))
        removed |= {line.id: path for line in done.removed if line.id in of}
    for id_, path in added.items():
        value = EntryStatus.PROMOTED if path.endswith(_RULES) else EntryStatus.PENDING
        found.append(HandEdit(_set(of[id_], MoveKind.STATUS, value), path))
    for id_ in [each for each in removed if each not in added]:
        found.append(HandEdit(_set(of[id_], MoveKind.STATUS, EntryStatus.WONT_FIX), removed[id_]))
    return found


def rules_text(files: Files, book: Book) -> str:
    """The page of the rules of a book as it is now; empty where there is none."""
    return _text(files, book.folder / _RULES) or ""


def written(
    files: Files,
    book: Book,
    states: Sequence[tuple[str, EntryState]],
    today: date,
    told: Mapping[str, date] | None = None,
    conflicts: Sequence[RuleLine] = (),
) -> IndexRow | None:
    """Write the books of a context; `states` are its entries with the ids of their rules. None where it has none.

    `told`: by the id of a rule, the day on which a session was last told it; `conflicts`: what contradicted each other.
    """
    everywhere = not book.key
    window = GLOBAL_STALE if everywhere else CONTEXT_STALE
    rules = [
        aged(_line(id_, each, "confirmed"), (told or {}).get(id_), today, window)
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
        fresh = (*retained(lines, limit=limit), *(conflicts if name == _CORRECTIONS else ()))
        _write(files, book, name, fresh)
    if not rules and not pending:
        return None
    counts = {"Rules": len(rules), "Corrections": len(pending)}
    _put(files, book.folder / "meta.md", write_meta(book.key or GLOBAL, book.name, book.aliases, counts, today))
    return IndexRow(book.key or GLOBAL, book.name, len(rules), len(pending), today)


def write_contents(files: Files, home: Path, rows: Iterable[IndexRow]) -> None:
    """Write the index of all books."""
    rows = tuple(rows)
    if rows:
        _put(files, home / "index.md", write_index(rows))


def _write(files: Files, book: Book, name: str, fresh: Sequence[RuleLine]) -> None:
    now, before = _text(files, book.folder / name) or "", _text(files, _copy(book, name)) or ""
    if not fresh and not before:
        return
    if now == before and read_rules(before) == tuple(fresh):
        return
    new = merged(before, now, fresh, title=f"{name.removesuffix('.md').capitalize()}: {book.name}", intro=_INTRO[name])
    _put(files, book.folder / name, new)
    _put(files, _copy(book, name), new)


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


def _set(state: EntryState, kind: MoveKind, value: str) -> tuple[str, ...]:
    return ("entries", "set", state.entry.name, kind.value, value)


def _copy(book: Book, name: str) -> Path:
    """What we last wrote."""
    return book.folder / ".written" / name


def _text(files: Files, path: Path) -> str | None:
    content = files.read(path).content
    return None if content is None else content.decode("utf-8", "surrogateescape")


def _put(files: Files, path: Path, text: str) -> None:
    seen = files.read(path)
    content = text.encode("utf-8", "surrogateescape")
    if content != seen.content:
        files.write(seen, content)
