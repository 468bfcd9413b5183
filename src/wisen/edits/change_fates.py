"""Determines what became of a change of ours: still in effect, taken over by the user, rejected, or unclear.

What is missing or reworded is the user's act in a file that git does not track, in the working tree, and if commits on
the branch made it so. A switch to another branch or commit, a reset, and a rebase may have done it on their own: if a
file lacks something only since then, the user is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.edits import edit_operations
from wisen.edits.managed_lines import has_unmarked_copy
from wisen.errors import SettingsUnclear
from wisen.model.change import ChangeFate, HeadStepKind, LineEdit, content_digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.change import Change, ChangeCheck, CheckedOutFile, EditOperation, HeadStep


class ObservedFate(NamedTuple):
    """What became of an operation, and the text in its place if that is the user's now."""

    fate: ChangeFate
    text: str = ""


def determine_fate(
    operation: EditOperation, content: bytes | None, git: CheckedOutFile | None, steps: Sequence[HeadStep] | None
) -> ObservedFate:
    """Determine what became of an operation; `content` is the file's content, `git` what git knows about it.

    `steps`: how HEAD moved since the last check; None if that is unknown.

    Raises:
        SettingsUnclear: the file cannot be parsed now.
    """
    current, expected = edit_operations.current_text(operation, content), edit_operations.expected_text(operation)
    if current == expected:
        return ObservedFate(ChangeFate.STANDS)
    if current is None and isinstance(operation, LineEdit) and has_unmarked_copy(operation.text, content or b""):
        return ObservedFate(ChangeFate.REWORDED, operation.text)  # they removed the marker, and kept the text
    if (
        git is not None
        and current == edit_operations.current_text(operation, git.content)
        and not _was_committed(operation, steps)
    ):
        return ObservedFate(ChangeFate.UNCLEAR, current or "")
    if current is None or (isinstance(operation, LineEdit) and _is_struck_out(current)):
        return ObservedFate(ChangeFate.REMOVED)
    return ObservedFate(ChangeFate.REWORDED, current)


def _was_committed(operation: EditOperation, steps: Sequence[HeadStep] | None) -> bool:
    """Whether a person's act made what HEAD holds: a commit on this branch did, or nothing else can have done it."""
    if steps is None:
        return False
    by_commit, is_elsewhere = False, False
    for step in steps:
        if step.kind is not HeadStepKind.FORWARD:
            is_elsewhere = True
            by_commit = by_commit and step.kind is HeadStepKind.REWRITTEN
            continue
        before, after = (
            edit_operations.current_text(operation, step.before),
            edit_operations.current_text(operation, step.after),
        )
        by_commit = after != edit_operations.expected_text(operation) and (by_commit or before != after)
    return by_commit or not is_elsewhere


def _is_struck_out(text: str) -> bool:
    """Whether nothing is left of a line: it is empty, struck through, or commented out."""
    bare = text.strip()
    return not bare or bare.startswith("<!--") or (bare.startswith("~~") and bare.rstrip(".").endswith("~~"))


def was_made(change: Change, content: bytes | None, target: Change | None) -> bool:
    """Whether a change that was only recorded was made; `target` is the change that it undoes, if any.

    This is only needed after a crash or an error in the middle of a change.
    """
    if content_digest(content) in (change.before, change.after):
        return content_digest(content) == change.after
    try:
        if change.operation is not None:
            return edit_operations.current_text(change.operation, content) == edit_operations.expected_text(
                change.operation
            )
        return (
            target is None
            or target.operation is None
            or edit_operations.current_text(target.operation, content)
            != edit_operations.expected_text(target.operation)
        )
    except SettingsUnclear:
        return False


def fates_of(changes: Sequence[Change], checks: Iterable[ChangeCheck], lost: Collection[str]) -> dict[str, ChangeFate]:
    """Return what became of each change, by the last check of it; `lost` are those that were never made."""
    result = {each.id: ChangeFate.STANDS for each in changes} | {check.change: check.fate for check in checks}
    result |= dict.fromkeys(lost, ChangeFate.NOT_MADE)
    made_changes = [each for each in changes if result[each.id] is not ChangeFate.NOT_MADE]
    result |= {each.undoes: ChangeFate.UNDONE for each in made_changes if each.undoes}
    displacing = [
        (each, (*each.operation.archived, each.operation.instead_of))
        for each in made_changes
        if isinstance(each.operation, LineEdit) and (each.operation.archived or each.operation.instead_of)
    ]
    for each in made_changes:
        line = each.operation.id if isinstance(each.operation, LineEdit) else None
        if result[each.id] is not ChangeFate.UNDONE and any(
            line in archived and by.path == each.path and by.id > each.id and result[by.id] is not ChangeFate.UNDONE
            for by, archived in displacing
        ):
            result[each.id] = ChangeFate.ARCHIVED
    return result
