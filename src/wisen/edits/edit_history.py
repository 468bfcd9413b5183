"""The history of our edits on this machine, and what became of each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.edits import edit_operations
from wisen.edits.change_fates import fates_of, was_made
from wisen.errors import FileError
from wisen.model.change import ChangeFate, LineEdit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.change import Change, ChangeCheck, FileVersion
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Checkouts, Clock, Files, Ids


_AGENT_FOLDER = ".claude"
"""A folder below a project's folder that may contain instruction files as well."""


class EditPorts(NamedTuple):
    """The dependencies of edits: files, git checkouts, ledger, clock and ids."""

    files: Files
    checkouts: Checkouts
    ledger: Ledger
    clock: Clock
    ids: Ids
    machine: str


class EditHistory(Struct, frozen=True):
    """Every change to this machine's files, oldest first, and what became of each."""

    changes: tuple[Change, ...]
    fates: dict[str, ChangeFate]
    checks: dict[str, ChangeCheck]
    """The last check of each change."""
    real_paths: dict[str, str]
    """The resolved path of each path: two names may lead to one file."""

    def changes_to(self, file: str) -> list[Change]:
        """Return the changes that were made to a file, including those that undid others."""
        return [
            each
            for each in self.changes
            if self.real_paths[each.path] == file and self.fates[each.id] is not ChangeFate.NOT_MADE
        ]

    def effective_changes(self) -> Iterator[Change]:
        """Yield the open changes that are in effect by themselves: no later one replaced them."""
        files: dict[str, list[Change]] = {}
        for each in self.open_changes():
            files.setdefault(self.real_paths[each.path], []).append(each)
        for changes in files.values():
            for at, each in enumerate(changes):
                if not any(
                    each.operation and by.operation and edit_operations.replaces(by.operation, each.operation)
                    for by in changes[at + 1 :]
                ):
                    yield each

    def open_changes(self, file: str | None = None) -> Iterator[Change]:
        """Yield the changes, to one file or to all, that were neither undone nor made room for others."""
        closed_fates = (ChangeFate.NOT_MADE, ChangeFate.UNDONE, ChangeFate.ARCHIVED)
        for each in self.changes:
            if (
                each.operation is not None
                and self.fates[each.id] not in closed_fates
                and file in (None, self.real_paths[each.path])
            ):
                yield each


def edit_history(edit_ports: EditPorts) -> EditHistory:
    """Load the history from the ledger. After a crash in the middle of a change, the file shows whether it was made."""
    changes = edit_ports.ledger.changes.of(machine=edit_ports.machine)
    checks = {check.change: check for check in edit_ports.ledger.changes.checks(machine=edit_ports.machine)}
    by_id = {each.id: each for each in changes}
    fates = fates_of(
        changes, checks.values(), [each.id for each in changes if _was_lost(edit_ports, each, checks, by_id)]
    )
    return EditHistory(
        changes, fates, checks, {path: edit_ports.files.real_path(Path(path)) for path in {c.path for c in changes}}
    )


def locate_change(edit_ports: EditPorts, change: Change, known: EditHistory) -> FileVersion:
    """Return the file that a change is in: its own, or the one that the user moved our line to. Raises: FileError."""
    original = edit_ports.files.read(Path(change.path))
    if (
        not isinstance(change.operation, LineEdit)
        or edit_operations.current_text(change.operation, original.content) is not None
    ):
        return original
    check = known.checks.get(change.id)
    candidates = [each.path for each in known.changes] + [
        str(each) for each in edit_ports.files.siblings(Path(original.path))
    ]
    folder, name = Path(original.path).parent, Path(original.path).name
    candidates.append(str(folder.parent / name if folder.name == _AGENT_FOLDER else folder / _AGENT_FOLDER / name))
    for path in dict.fromkeys((check.path, *candidates) if check is not None else candidates):
        try:
            seen = edit_ports.files.read(Path(path))
        except FileError:
            continue
        if (
            seen.real_path != original.real_path
            and edit_operations.current_text(change.operation, seen.content) is not None
        ):
            return seen
    return original


def _was_lost(edit_ports: EditPorts, change: Change, checks: dict[str, ChangeCheck], by_id: dict[str, Change]) -> bool:
    """Whether a change was recorded and never made."""
    if change.id in checks:
        return checks[change.id].fate is ChangeFate.NOT_MADE
    try:
        content = edit_ports.files.read(Path(change.path)).content
    except FileError:
        return False
    return not was_made(change, content, by_id.get(change.undoes))
