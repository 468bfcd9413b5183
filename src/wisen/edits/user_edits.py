"""Detects what users did to our additions in their files: an edit makes a line theirs, removing it rejects it."""

from __future__ import annotations

from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.edits import edit_operations
from wisen.edits.change_fates import ObservedFate, determine_fate
from wisen.edits.edit_history import edit_history, locate_change
from wisen.edits.editor import build_check, find_change
from wisen.errors import FileError, SettingsUnclear
from wisen.model.change import ChangeFate
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.edits.edit_history import EditHistory, EditPorts
    from wisen.model.change import Change, ChangeCheck, EditOperation, FileVersion
    from wisen.system.machine_ports import Files

_WRITE_GRACE = timedelta(minutes=1)
"""How long another process may take between recording a change and making it."""
_USER_ACTS = (ChangeFate.REWORDED, ChangeFate.REMOVED)


def detect_user_edits(edit_ports: EditPorts) -> tuple[ChangeCheck, ...]:
    """Check everything that is in files because of us, and record what became of it; returns what is new."""
    known = edit_history(edit_ports)
    edit_ports = edit_ports._replace(files=_CachedFiles(edit_ports.files))
    new = [*_settle_interrupted(edit_ports, known), *_detect_edits(edit_ports, known)]
    for check in new:
        edit_ports.ledger.changes.add_check(check)
    return tuple(new)


def record_rejection(edit_ports: EditPorts, id_: str) -> Change:
    """Record that the user removed something on purpose. Raises: UsageError."""
    known = edit_history(edit_ports)
    change = find_change(known.changes, id_)
    checkout = edit_ports.checkouts.checkout_of(locate_change(edit_ports, change, known).real_path)
    edit_ports.ledger.changes.add_check(
        build_check(edit_ports, change, ChangeFate.REMOVED, change.path, checkout.head if checkout else "")
    )
    return change


def _settle_interrupted(edit_ports: EditPorts, known: EditHistory) -> Iterator[ChangeCheck]:
    """Yield final verdicts on changes whose process was killed or failed: whether they were made."""
    for change in known.changes:
        if change.id not in known.checks and edit_ports.clock.now() - change.at > _WRITE_GRACE:
            was_lost = known.fates[change.id] is ChangeFate.NOT_MADE
            yield build_check(
                edit_ports, change, ChangeFate.NOT_MADE if was_lost else ChangeFate.STANDS, change.path, change.head
            )


def _detect_edits(edit_ports: EditPorts, known: EditHistory) -> Iterator[ChangeCheck]:
    checkout, steps = cache(edit_ports.checkouts.checkout_of), cache(edit_ports.checkouts.head_steps)
    for change in known.effective_changes():
        last = known.checks.get(change.id)
        if change.operation is None or last is None:
            continue
        try:
            seen = locate_change(edit_ports, change, known)
            git = checkout(seen.real_path)
            if git is not None and git.is_midway:
                continue  # git will finish the operation that it has begun

            def fate_in(
                file: FileVersion, operation: EditOperation = change.operation, check: ChangeCheck = last
            ) -> ObservedFate:
                file_git = checkout(file.real_path)
                was_moved = file_git is not None and edit_operations.current_text(
                    operation, file.content
                ) != edit_operations.expected_text(operation)
                return determine_fate(
                    operation, file.content, file_git, steps(file.real_path, check.head, check.at) if was_moved else ()
                )

            observed = _without_secrets(fate_in(seen))
            if observed.fate is ChangeFate.REWORDED and seen.real_path != known.real_paths[change.path]:
                # Other text in another file may always have been there: the user must also have removed ours.
                original = fate_in(edit_ports.files.read(Path(change.path)))
                observed = observed if original.fate is ChangeFate.REMOVED else original
        except (FileError, SettingsUnclear):
            continue  # somebody is in the middle of editing it
        if _last_check_stands(last.fate, observed.fate):
            continue
        check = build_check(
            edit_ports, change, observed.fate, seen.path, "" if git is None else git.head, observed.text
        )
        if (check.fate, check.path, check.head, check.text) != (last.fate, last.path, last.head, last.text):
            yield check


def _last_check_stands(last: ChangeFate, new: ChangeFate) -> bool:
    """Whether the last check stands: the user's act outweighs what git may have done, and open questions stay open."""
    return (last in _USER_ACTS and new is ChangeFate.UNCLEAR) or (
        last is ChangeFate.UNCLEAR and new is not ChangeFate.STANDS
    )


def _without_secrets(observed: ObservedFate) -> ObservedFate:
    """Drop the user's text if it contains what may not be stored."""
    return observed if rule_against(observed.text) is None else ObservedFate(observed.fate)


class _CachedFiles:
    """Files that are each read only once."""

    def __init__(self, files: Files) -> None:
        self.read, self.real_path, self.siblings = cache(files.read), files.real_path, cache(files.siblings)
        self._files, self.link_target = files, files.link_target

    def write(self, seen: FileVersion, content: bytes | None) -> FileVersion:
        """Never called while checking."""
        return self._files.write(seen, content)
