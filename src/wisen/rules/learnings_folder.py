"""Writes entries into a workspace's `.learnings` folder, and imports entries from it.

Entries that the user adopted are imported without counting as evidence, and a status changed there counts as the
user's. A file that others wrote or changed since is not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.edits.edit_history import edit_history
from wisen.errors import FileChanged
from wisen.logs.learnings_files import FOLDER, file_name_of
from wisen.model.change import PassageEdit, content_digest
from wisen.model.entry import Actor, Category, Entry, EntryOrigin, EntrySource, EntryStatus, MoveKind, Priority
from wisen.rules.context_files import ImportedRows
from wisen.rules.learnings_text import HEADERS, format_entry, parse_entries
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit, PassagePlan
    from wisen.model.entry import Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.rules.learnings_text import WrittenEntry
    from wisen.store.row_factory import RowFactory

_QUOTES = 3
_ATTEMPTS = 20
"""How often a file is read again because another process changed it in between."""
_WHY = "the learnings of this workspace"


def write_learnings(
    edit_ports: EditPorts,
    folder: Path,
    states: Iterable[EntryState],
    seen: Callable[[str], Sequence[Occurrence]],
    *,
    dry_run: bool,
) -> list[Edit]:
    """Write entries into the files of a workspace, as recorded edits: append new ones, replace changed ones.

    An entry that somebody else edited is theirs, and is left alone.
    """
    edits: list[Edit] = []
    contents: dict[str, bytes | None] = {}
    for state in states:
        path = folder / FOLDER / file_name_of(state.entry.type)
        text = _text(state, seen(state.entry.id))
        for attempt in range(1, _ATTEMPTS + 1):
            if str(path) not in contents:
                contents[str(path)] = edit_ports.files.read(path).content
            plans = _plans(edit_ports, path, contents[str(path)] or b"", state, text)
            try:
                _apply_plans(edit_ports, plans, edits, contents, dry_run=dry_run)
            except FileChanged:  # another process decided or undid something in this file
                if attempt == _ATTEMPTS:
                    raise
                del contents[str(path)]
            else:
                break
    return edits


def _apply_plans(
    edit_ports: EditPorts,
    plans: Iterable[PassagePlan],
    edits: list[Edit],
    contents: dict[str, bytes | None],
    *,
    dry_run: bool,
) -> None:
    """Make edits in a file whose content is known; one that another process changed meanwhile is left alone."""
    from wisen.edits.editor import Editor

    editor = Editor(edit_ports)
    for plan in plans:
        if dry_run and edits and edits[-1].change.path == plan.path:
            continue  # later edits can only be planned once the first one is made
        seen = plan._replace(seen_digest=content_digest(contents[plan.path]))
        edit = editor.add_passage(seen, dry_run=dry_run)
        edits.append(edit)
        contents[plan.path] = edit.new_content


def read_learnings(
    contents: Iterable[bytes], context: str, known: Mapping[str, EntryState], factory: RowFactory
) -> ImportedRows:
    """Return the rows for entries and statuses in workspace files that the ledger does not know."""
    imported = ImportedRows([], [])
    for content in contents:
        for each in parse_entries(content.decode("utf-8", "replace")):
            state = known.get(each.name)
            if state is None:
                _import(imported, each, context, factory)
            elif each.status is not None and each.status is not state.status and not state.merged_into:
                imported.moves.append(
                    factory.build_move(
                        state.entry.id, MoveKind.STATUS, each.status, by=Actor.USER, why=f"edited in {FOLDER}"
                    )
                )
    return imported


def _plans(edit_ports: EditPorts, path: Path, content: bytes, state: EntryState, text: bytes) -> list[PassagePlan]:
    from wisen.edits.editor import PassagePlan

    name = f"[{state.entry.name}]".encode()
    if name not in content:
        start = [PassagePlan(str(path), HEADERS[state.entry.type].encode(), _WHY, "")] if not content.strip() else []
        return [*start, PassagePlan(str(path), text, _WHY, "")]
    ours = [
        each.operation
        for each in edit_history(edit_ports).open_changes(edit_ports.files.real_path(path))
        if isinstance(each.operation, PassageEdit)
    ]
    last = next((operation.new for operation in reversed(ours) if name in operation.new), None)
    if last is None or last == text or content.count(last) != 1:
        return []
    return [PassagePlan(str(path), text, _WHY, "", old=last)]


def _text(state: EntryState, seen: Sequence[Occurrence]) -> bytes:
    return format_entry(
        state.entry,
        status=state.status,
        priority=state.priority,
        recurrence=max(1, state.times),
        first=state.first.date(),
        last=state.last.date(),
        evidence=[f"{each.at:%Y-%m-%d} {each.agent} {each.session[:8]}: {each.quote}" for each in seen[-_QUOTES:]],
    ).encode()


def _import(imported: ImportedRows, each: WrittenEntry, context: str, factory: RowFactory) -> None:
    text = " ".join((each.summary or each.details).split())
    if not text or rule_against("\n".join((each.summary, each.details, each.action, each.error))) is not None:
        return
    id_ = factory.ids.new()
    imported.entries.append(
        Entry(
            id=id_,
            name=each.name,
            machine=factory.machine,
            context=context,
            at=each.logged or factory.clock.now(),
            type=each.type,
            category=Category(each.category) if each.category in list(Category) else None,
            summary=text,
            details=each.details,
            action=each.action,
            error=each.error,
            setting=each.setting,
            source=EntrySource(each.source) if each.source in list(EntrySource) else EntrySource.SELF_DISCOVERY,
            origin=EntryOrigin.IMPORTED,
            priority=each.priority or Priority.MEDIUM,
            area=each.area or "tooling",
            tags=each.tags,
            files=each.files,
            key=each.key,
        )
    )
    if each.status not in (None, EntryStatus.PENDING):
        imported.moves.append(factory.build_move(id_, MoveKind.STATUS, each.status, why=f"so it stood in {FOLDER}"))
