"""Dry run of edits: an in-memory overlay over files and ledger; nothing is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from msgspec import structs

from wisen.errors import FileChanged
from wisen.model.change import content_digest

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.edits.edit_history import EditPorts
    from wisen.model.change import Change, ChangeCheck, FileVersion
    from wisen.store.changes import Changes
    from wisen.store.ledger import Ledger
    from wisen.system.machine_ports import Files

_DEFAULT_MODE = 0o644


def in_memory_ports(edit_ports: EditPorts) -> EditPorts:
    """Return the same ports with in-memory overlays for files and ledger."""
    return edit_ports._replace(
        files=_MemoryFiles(edit_ports.files), ledger=cast("Ledger", _MemoryLedger(edit_ports.ledger))
    )


class _MemoryFiles:
    """Files whose writes are only kept in memory."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.real_path, self.siblings, self.link_target = files.real_path, files.siblings, files.link_target
        self._written: dict[str, bytes | None] = {}

    def read(self, path: Path) -> FileVersion:
        seen = self._files.read(path)
        if seen.real_path not in self._written:
            return seen
        content = self._written[seen.real_path]
        return structs.replace(seen, content=content, mode=0 if content is None else seen.mode or _DEFAULT_MODE)

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        current = self._written.get(seen.real_path, seen.content)
        if content_digest(current) != seen.digest:
            raise FileChanged(f"{seen.path} has changed since it was read. Read it again and repeat the change.")
        self._written[seen.real_path] = content
        return structs.replace(seen, content=content)


class _MemoryLedger:
    """The part of a ledger that edits need."""

    def __init__(self, ledger: Ledger) -> None:
        self.changes = _MemoryChanges(ledger.changes)


class _MemoryChanges:
    """The changes of a ledger; new ones are only kept in memory."""

    def __init__(self, changes: Changes) -> None:
        self._inner = changes
        self._new: list[Change] = []
        self._checks: list[ChangeCheck] = []

    def add(self, change: Change) -> bool:
        self._new.append(change)
        return True

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        drafted = (each for each in self._new if path in (None, each.path))
        return (*self._inner.of(machine=machine, path=path), *drafted)

    def add_check(self, check: ChangeCheck) -> None:
        self._checks.append(check)

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        return (*self._inner.checks(machine=machine), *self._checks)
