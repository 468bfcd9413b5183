"""Computes a file's content after undoing one of our changes: as if it had never been made, as far as possible."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.edits import edit_operations
from wisen.edits.splices import apply_splices, invert
from wisen.errors import SettingsUnclear, UsageError
from wisen.model.change import LineEdit, content_digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.change import Change, EditOperation


class UndoKind(StrEnum):
    """How a change was undone."""

    EXACTLY = "exactly"
    """The file is as it was before, byte for byte."""
    ALONE = "alone"
    """Only what we added was removed; what others wrote since stays."""
    ALREADY = "already"
    """There was nothing left of it."""


class UndoResult(NamedTuple):
    """An undone change: how, and the file's content before and after the undo."""

    change: Change
    kind: UndoKind
    old_content: bytes | None
    new_content: bytes | None


def compute_undo(change: Change, content: bytes | None, changes: Sequence[Change]) -> UndoResult:
    """Undo a change in a file's content; `changes` are all changes to that file, oldest first.

    `changes` is empty if the user moved our line there from another file.

    Raises:
        UsageError: it is unclear what is left of it: the user has to look.
    """
    is_superseded = any(each.id > change.id > each.undoes > "" for each in changes)
    if content is not None:
        # Later changes of ours may have led back to the same content: they stay in effect.
        is_superseded |= any(each.id > change.id for each in _open_changes(_chain(content, changes)))
    is_deleted_by_it = content is None and not change.after and not is_superseded
    # Undoing an earlier change that added the same leaves the old content although this one is in effect.
    if (content is None and not is_deleted_by_it) or (content_digest(content) == change.before and not is_superseded):
        return UndoResult(change, UndoKind.ALREADY, content, content)
    if content_digest(content) == change.after and not is_superseded:  # else the old content has what was undone since
        old = apply_splices(content or b"", invert(change.splices))
        return UndoResult(change, UndoKind.EXACTLY, content, old if change.before else None)
    assert content is not None  # otherwise it is as this change left it, or nothing is left of it
    try:
        rest = _replay_without(change, content, changes)
    except _TouchedError:
        rest = _remove_in_place(change, content, changes)
        if not rest and changes and not changes[0].before:
            rest = None  # a file that we created is deleted when nothing is left in it
    return UndoResult(change, UndoKind.ALREADY if rest == content else UndoKind.ALONE, content, rest)


class _TouchedError(Exception):
    """Somebody else touched the file since."""


def _open_changes(changes: Sequence[Change]) -> list[Change]:
    """Return the changes that were not undone."""
    undone_ids = {each.undoes for each in changes}
    return [each for each in changes if each.operation is not None and each.id not in undone_ids]


def _replay_without(change: Change, content: bytes, changes: Sequence[Change]) -> bytes | None:
    """Go back to before the first of our changes that nobody came between, and reapply all of them but one.

    So it does not matter in which order changes are undone. Raises: _TouchedError.
    """
    chain = _chain(content, changes)
    if change not in chain:
        raise _TouchedError
    base: bytes | None = content
    for each in reversed(chain):
        base = apply_splices(base or b"", invert(each.splices)) if each.before else None
    remaining = [each.operation for each in _open_changes(chain) if each.operation is not None and each is not change]
    for operation in remaining:
        try:
            base = edit_operations.reapply(operation, base or b"")
        except (ValueError, SettingsUnclear):
            if edit_operations.current_text(operation, base) != edit_operations.expected_text(
                operation
            ):  # what is to be removed may no longer be there
                raise _TouchedError from None
    return base


def _chain(content: bytes, changes: Sequence[Change]) -> list[Change]:
    """Return the newest changes that followed each other with nobody between them, oldest first."""
    chain: list[Change] = []
    current = content_digest(content)
    for each in reversed(changes):
        if each.after != current:
            break
        chain.insert(0, each)
        current = each.before
    # An undo of something made before the chain cannot be reapplied: the chain begins after the last such undo.
    start, at = 0, {each.id: number for number, each in enumerate(chain)}
    while (
        cut := max((at[each.id] for each in chain[start:] if _undone_position(each, at) < start), default=-1)
    ) >= start:
        start = cut + 1
    return chain[start:]


def _undone_position(change: Change, at: dict[str, int]) -> int:
    """Return the position in a chain that a change undoes; its own if it undoes none."""
    return at.get(change.undoes, -1) if change.undoes else at[change.id]


def _without_frame(operation: EditOperation) -> EditOperation:
    """Return an operation without its frame: in another file, that is the user's own."""
    return structs.replace(operation, opening=b"", closing=b"") if isinstance(operation, LineEdit) else operation


def _remove_in_place(change: Change, content: bytes, changes: Sequence[Change]) -> bytes:
    """Remove a change of ours from a file that others touched."""
    if change.operation is None:
        raise UsageError(f"{change.id} undid another change; an undo cannot be undone.")
    open_ = _open_changes(changes)
    operation = change.operation if changes else _without_frame(change.operation)
    for each in reversed(changes):
        if each.id < change.id and each.operation is not None and each not in open_:
            operation = edit_operations.rebase(operation, each.operation)
    earlier = [each.operation for each in open_ if each.operation is not None and each.id < change.id]
    try:
        return edit_operations.revert(operation, content, earlier)
    except (ValueError, SettingsUnclear) as error:
        raise UsageError(
            f"{change.path} was changed since, and what is left of {change.id} cannot be removed ({error}). "
            "Look at the file."
        ) from error
