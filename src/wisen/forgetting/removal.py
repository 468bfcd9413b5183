"""The steps of an erasure: find, revert edits, clear pages. Each can be repeated after an interruption."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor, PassagePlan
from wisen.errors import FileError, UsageError
from wisen.forgetting.erasure_search import find_matches
from wisen.forgetting.page_cleaning import clean_page, page_contains
from wisen.forgetting.row_texts import thing_of
from wisen.model.change import (
    EXPERIMENTS_ANSWER,
    POINTING_ANSWER,
    SWITCHED_OFF,
    Change,
    ChangeCheck,
    ChangeFate,
    FileEdit,
    LineEdit,
    PassageEdit,
    ValueEdit,
)
from wisen.model.context import EVERYWHERE, NOWHERE
from wisen.model.entry import Entry, rule_id
from wisen.model.history import UserAction
from wisen.model.ownership import Ownership, OwnershipSubject
from wisen.model.report import Selection
from wisen.model.tombstone import ALL_CONTEXTS, ForgottenItem, is_in_scope
from wisen.text.daily import read_day
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence

    from wisen.edits.edit_history import EditHistory
    from wisen.forgetting.callbacks import RemoveWritten
    from wisen.forgetting.erasure_search import ErasureMatches, ErasureTarget, EventRef
    from wisen.forgetting.holdings import Holdings
    from wisen.model.memory import Memory
    from wisen.model.tombstone import IndexedText, TextSearch
    from wisen.safety.forgotten_phrases import Needle
    from wisen.store.home import Home
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.store.ledger_removal import Row

_PAGE_SUFFIX = ".md"
_PAGE_ROOTS = ("contexts", "global", "reports", "index.md")
"""Where pages are: the stores handle their own files, and anything else there is not ours."""
_QUOTED = lazy_regex(r'"((?:[^"\\\n]|\\.)*)"')
"""The quoted phrases in a language file; each is matched separately."""
_FILES_OF_NAMES = ("index.md", "meta.md", "memory.json")
"""Files that contain only names and counts: they are rewritten anyway."""


def find_in_holdings(holdings: Holdings, target: ErasureTarget, search: Hashable = None) -> ErasureMatches:
    """Find everything to erase in all stores and files; the stores are not read again for the same `search`."""
    index = holdings.home.index

    def find() -> ErasureMatches:
        rows = erasable_rows(holdings.ledger_rows.all(), holdings, target)
        return find_matches(rows, _StoredTexts(index), target, context_resolver(holdings))

    matches = find() if search is None else holdings.found_matches.get(search, find)
    matches.things += [
        ForgottenItem("page", path.name, str(path), _matching_lines(path, target))
        for path in find_pages(holdings, target)
    ]
    answers = [(name, text) for name, text in index.model_answers.all() if target.needle.holds(text)]
    matches.things += [ForgottenItem("answer", name, "what models answered", text) for name, text in answers]
    prepared = holdings.snapshot_store.forget(target.needle.holds, dry_run=True)
    matches.things += [ForgottenItem("prepared", name, "what hooks read and leave", "") for name in prepared]
    return matches


class _StoredTexts:
    """The texts of an index."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def events(self, search: TextSearch) -> Iterator[IndexedText]:
        """Return the texts of events."""
        return self._index.removal.indexed_texts(search)

    def memories(self, search: TextSearch) -> Iterator[Memory]:
        """Return memories."""
        return self._index.memories.every(search)


def find_rows(rows: Iterable[Row], holdings: Holdings, target: ErasureTarget) -> dict[str, Row]:
    """Find the rows of the ledger, or of a backup, that contain it or belong to its events."""
    return find_matches(erasable_rows(rows, holdings, target), None, target, context_resolver(holdings)).rows


class BackupCheck:
    """Decides whether a backup contains what was removed from the ledger.

    A ledger only grows, so that a backup of which every row is still in the ledger contains nothing of it.
    """

    def __init__(self, holdings: Holdings, targets: Sequence[ErasureTarget], before: frozenset[str]) -> None:
        self._holdings, self._targets = holdings, targets
        self._present = holdings.home.ledger.removal.seals()
        self._removed = before - self._present

    def holds_forgotten(self, copy: Ledger) -> bool:
        """Whether a backup contains something of it."""
        seals = copy.removal.seals()
        if not seals.isdisjoint(self._removed):
            return True
        if seals <= self._present:
            return False
        rows = tuple(copy.removal.rows())
        return any(find_rows(rows, self._holdings, target) for target in self._targets)


def erasable_rows(rows: Iterable[Row], holdings: Holdings, target: ErasureTarget) -> Iterator[Row]:
    """Yield the rows that may be erased. Setup is not memory: hooks, switches and settings stay unless named."""
    why = {f"hooks of {each.name}" for each in holdings.hooks} | {SWITCHED_OFF, EXPERIMENTS_ANSWER, POINTING_ANSWER}
    settings = set[str]()
    for row in rows:
        if isinstance(row, Change) and row.why.removeprefix("undid ") in why and thing_of(row) not in target.things:
            settings.add(row.id)
        elif isinstance(row, Ownership) and row.subject is OwnershipSubject.MARKER:
            continue
        elif not isinstance(row, ChangeCheck) or row.change not in settings:
            yield row


def describe_language_files(holdings: Holdings, needle: Needle) -> tuple[str, ...]:
    """Describe language files that contain it. They are written by the user or a model, and are left as they are."""
    files = sorted(holdings.languages_folder.rglob("*.toml*"))
    matching = (path for path in files if any(map(needle.holds, _QUOTED.findall(path.read_text("utf-8", "replace")))))
    return tuple(f"{path} contains it: no session is stored there, remove it yourself." for path in matching)


def context_resolver(holdings: Holdings) -> Callable[[str], str]:
    """Return a function that maps a path to its context; empty for files that apply to all projects."""
    known: dict[str, str] = {}
    general = [*holdings.rule_files.folders.values(), holdings.rule_files.user_home / ".claude"]

    def context_of(path: str) -> str:
        if path not in known:
            place = Path(path)
            if place.is_relative_to(holdings.home.path):
                known[path] = _context_of_page(holdings.home.path, place)
            elif any(place.is_relative_to(folder) for folder in general):
                known[path] = EVERYWHERE
            else:
                known[path] = holdings.projects.context_of(place if place.is_dir() else place.parent)
        return known[path]

    return context_of


def revert_edits(holdings: Holdings, matches: ErasureMatches, target: ErasureTarget) -> tuple[list[str], set[str]]:
    """Remove our lines from the user's files, as recorded edits; the user's own words are never touched.

    Returns what is left and why, and the rows that must stay because a file is not accessible now.
    """
    leftovers, unreachable = list[str](), set[str]()
    known, editor = edit_history(holdings.edit_ports), Editor(holdings.edit_ports)
    rules = {rule_id(row.id) for row in matches.rows.values() if isinstance(row, Entry)}
    names = {f"[{row.name}]".encode() for row in matches.rows.values() if isinstance(row, Entry)}
    for change in matches.changes():
        fate = known.fates.get(change.id)
        if fate is ChangeFate.REWORDED:
            leftovers.append(f"{change.path} contains it in your own words, which are never edited.")
        if fate not in (ChangeFate.STANDS, ChangeFate.UNCLEAR) or not _is_affected(change, target, rules, names):
            continue
        try:
            editor.undo(change.id)
            _transfer_heading(holdings, change, matches, known)
            _restore_other_lines(holdings, editor, change, target.needle, names)
        except UsageError as error:
            leftovers.append(str(error))
        except FileError as error:
            leftovers.append(str(error))
            unreachable.add(thing_of(change))
    return leftovers, unreachable


def _transfer_heading(holdings: Holdings, change: Change, matches: ErasureMatches, known: EditHistory) -> None:
    """Assign the heading that came with a line to the next of our lines below it: the first line is not stored."""
    operation, removed = change.operation, {each.id for each in matches.changes()}
    if not isinstance(operation, LineEdit) or not (operation.opening or operation.closing):
        return
    for heir in known.changes:
        line = heir.operation
        if (
            isinstance(line, LineEdit)
            and (heir.path, line.heading) == (change.path, operation.heading)
            and not (line.opening or line.closing or heir.id in removed)
            and known.fates.get(heir.id) is ChangeFate.STANDS
        ):
            owner = structs.replace(line, opening=operation.opening, closing=operation.closing)
            holdings.home.ledger.changes.rewrite(structs.replace(heir, operation=owner))
            return


def _is_affected(change: Change, target: ErasureTarget, rules: Collection[str], names: Collection[bytes]) -> bool:
    """Whether a change wrote forgotten text to a file."""
    operation = change.operation
    if thing_of(change) in target.things:
        return True
    if isinstance(operation, LineEdit):
        return operation.id in rules or target.needle.holds(operation.text)
    if isinstance(operation, (PassageEdit, FileEdit)):
        written = operation.new or b""
        return any(name in written for name in names) or target.needle.holds(written.decode("utf-8", "replace"))
    return isinstance(operation, ValueEdit) and target.needle.holds(operation.new)


def _restore_other_lines(
    holdings: Holdings, editor: Editor, change: Change, needle: Needle, names: Collection[bytes]
) -> None:
    """Add back the lines of a day that are not forgotten."""
    operation = change.operation
    if not isinstance(operation, PassageEdit) or any(name in operation.new for name in names):
        return
    remaining = clean_page(operation.new.decode("utf-8", "replace"), needle)
    if remaining is not None and read_day(remaining):
        digest = holdings.edit_ports.files.read(Path(change.path)).digest
        editor.add_passage(PassagePlan(change.path, remaining.encode(), change.why, digest))


def find_pages(holdings: Holdings, target: ErasureTarget) -> Iterator[Path]:
    """Yield the files below the home that contain it."""
    roots = [holdings.home.path / name for name in _PAGE_ROOTS]
    for path in sorted({*roots, *(path for root in roots for path in root.rglob("*"))}):
        if not path.is_file() or not _is_within(holdings.home.path, path, target.scope):
            continue
        if target.whole or (path.name not in _FILES_OF_NAMES and _file_contains(path, target.needle)):
            yield path


def clear_pages(holdings: Holdings, target: ErasureTarget) -> bool:
    """Remove it from the context files and days below the home; other files are removed whole.

    Returns whether any file contained it.
    """
    pages = [*find_pages(holdings, target)]
    for path in pages:
        file = holdings.edit_ports.files.read(path)
        text = (file.content or b"").decode("utf-8", "surrogateescape")
        remaining = None if target.whole or path.suffix != _PAGE_SUFFIX else clean_page(text, target.needle)
        if remaining != text:
            holdings.edit_ports.files.write(
                file, None if remaining is None else remaining.encode("utf-8", "surrogateescape")
            )
    return bool(pages)


def clear_written(home: Home, events: Collection[EventRef], remove_written: RemoveWritten) -> list[str]:
    """Remove summaries and day lines made from events; return the keys of the removed summaries."""
    if not events:
        return []
    sources, sessions = set(_sources(home, events)), {(agent, session) for agent, session, _ in events}
    contexts = ["", *(each.key for each in home.ledger.contexts.all())]
    return [key for context in contexts for key in remove_written(context, sessions, sources)]


def _sources(home: Home, events: Collection[EventRef]) -> Iterator[str]:
    """Yield the turns of events, as day lines cite them."""
    wanted = {(agent, id_) for agent, _, id_ in events}
    sessions = {(agent, session) for agent, session, _ in events}
    stored = home.index.removal.archived_sessions()
    numbers = frozenset(each.number for each in stored if (each.agent, each.native) in sessions)
    for history in home.index.events.histories(Selection(sessions=numbers)):
        typed = [turn for turn in history.turns if turn.action is UserAction.SAID]
        turns = {number for number, turn in enumerate(typed, 1) if (history.agent, turn.id) in wanted}
        for step in history.steps:
            if (history.agent, step.call) in wanted:
                turns.add(sum(turn.at <= step.at for turn in typed))
        yield from (f"{history.agent} {history.native[:8]}, turn {number}" for number in turns)


def _matching_lines(path: Path, target: ErasureTarget) -> str:
    """Return the lines of a Markdown page that contain it."""
    if target.whole or path.suffix != _PAGE_SUFFIX:
        return ""
    lines = path.read_bytes().decode("utf-8", "replace").splitlines()
    return "\n".join(line for line in lines if target.needle.holds(line))


def _file_contains(path: Path, needle: Needle) -> bool:
    text = path.read_bytes().decode("utf-8", "replace")
    if path.suffix == _PAGE_SUFFIX:
        return page_contains(text, needle)
    return needle.holds(unescape(text) if path.suffix == ".html" else text)


def _is_within(home: Path, path: Path, scope: str) -> bool:
    first = path.relative_to(home).parts[0]
    if first not in ("contexts", "global"):
        return True  # a report covers many contexts
    return scope == ALL_CONTEXTS or is_in_scope(scope, _context_of_page(home, path))


def _context_of_page(home: Path, path: Path) -> str:
    parts = path.relative_to(home).parts
    return (parts[1] if parts[1:] else NOWHERE) if parts[:1] == ("contexts",) else EVERYWHERE
