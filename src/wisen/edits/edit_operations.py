"""Edit operations by kind (line, value, passage, removal, file): each can be applied, found again and reverted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.edits import entry_passages, removals, setting_values, whole_files
from wisen.edits.managed_lines import BlockFrame, insert_line, managed_lines, remove_line, remove_lines, replace_line
from wisen.model.change import FileEdit, LineEdit, LineRemoval, PassageEdit, ValueEdit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.change import EditOperation


def expected_text(operation: EditOperation) -> str | None:
    """Return what `current_text` returns while an operation is in effect unchanged."""
    if isinstance(operation, LineEdit):
        return operation.text
    if isinstance(operation, LineRemoval):
        return None
    if isinstance(operation, FileEdit):
        return whole_files.expected_text(operation)
    return operation.new or None if isinstance(operation, ValueEdit) else entry_passages.to_text(operation.new)


def current_text(operation: EditOperation, content: bytes | None) -> str | None:
    """Return what is currently in the place of an operation; None for nothing."""
    if isinstance(operation, FileEdit):
        return whole_files.current_text(content)
    content = content or b""
    if isinstance(operation, LineEdit):
        return next((each.text for each in managed_lines(content) if each.id == operation.id), None)
    if isinstance(operation, LineRemoval):
        return removals.current_text(operation, content)
    return (
        setting_values.current_text(operation, content)
        if isinstance(operation, ValueEdit)
        else entry_passages.current_text(operation, content)
    )


def has_line(id_: str, content: bytes) -> bool:
    """Whether a file contains our line with this id."""
    return bool(id_) and any(each.id == id_ for each in managed_lines(content))


def reapply(operation: EditOperation, content: bytes) -> bytes:
    """Apply an operation once more that was applied before.

    Raises:
        ValueError: it cannot be applied there.
        SettingsUnclear: the same, in a settings file.
    """
    if isinstance(operation, LineEdit):
        if has_line(operation.instead_of, content):
            return replace_line(content, operation.instead_of, operation.text, operation.id)
        return insert_line(
            remove_lines(content, operation.archived), operation.heading, operation.text, operation.id
        ).content
    if isinstance(operation, LineRemoval):
        return removals.apply(operation, content)
    if isinstance(operation, FileEdit):
        return whole_files.reapply(operation, content)
    return (
        setting_values.apply(operation, content)
        if isinstance(operation, ValueEdit)
        else entry_passages.apply(operation, content)
    )


def revert(operation: EditOperation, content: bytes, earlier: Iterable[EditOperation]) -> bytes:
    """Remove an operation's effect from a file that others touched since; unchanged if nothing of it is left.

    `earlier`: the earlier operations on the file that are still in effect, oldest first.

    Raises:
        SettingsUnclear: it is unclear what is left.
    """
    if isinstance(operation, ValueEdit):
        return setting_values.revert(operation, content, [each for each in earlier if isinstance(each, ValueEdit)])
    if isinstance(operation, LineRemoval):
        return removals.revert(operation, content)
    if isinstance(operation, FileEdit):
        return whole_files.revert(content)
    if not isinstance(operation, LineEdit):
        return entry_passages.revert(operation, content)
    lines = [each for each in earlier if isinstance(each, LineEdit)]
    if current_text(operation, content) == operation.text:
        if operation.instead_of and not (
            operation.instead_of != operation.id and has_line(operation.instead_of, content)
        ):
            return replace_line(content, operation.id, operation.old, operation.instead_of)
        content = remove_line(content, operation.id, _frames_of(operation, lines))
    for each in lines:
        if each.id in operation.archived and current_text(each, content) is None:
            content = insert_line(content, each.heading, each.text, each.id).content
    return content


def replaces(operation: EditOperation, earlier: EditOperation) -> bool:
    """Whether an operation replaced an earlier one, which then is no longer in effect by itself."""
    if isinstance(operation, ValueEdit) and isinstance(earlier, ValueEdit):
        return (
            all(one == other for one, other in zip(operation.keys, earlier.keys, strict=False))
            and not operation.appended
        )
    if isinstance(operation, LineEdit) and isinstance(earlier, LineEdit):
        return operation.instead_of == earlier.id
    if isinstance(operation, FileEdit):
        return True
    return isinstance(operation, PassageEdit) and isinstance(earlier, PassageEdit) and operation.old == earlier.new


def rebase(operation: EditOperation, earlier: EditOperation) -> EditOperation:
    """Return an operation as if the earlier one that it replaced had never been."""
    if (
        isinstance(operation, ValueEdit)
        and isinstance(earlier, ValueEdit)
        and (operation.keys, operation.old) == (earlier.keys, earlier.new)
    ):
        return structs.replace(operation, old=earlier.old, made=operation.made + earlier.made)
    if isinstance(operation, PassageEdit) and isinstance(earlier, PassageEdit) and operation.old == earlier.new:
        return structs.replace(operation, old=earlier.old)
    if isinstance(operation, LineEdit) and isinstance(earlier, LineEdit) and operation.instead_of == earlier.id:
        place = {"opening": earlier.opening, "closing": earlier.closing}
        return structs.replace(operation, instead_of=earlier.instead_of, old=earlier.old, **place)
    return operation


def _frames_of(operation: LineEdit, lines: list[LineEdit]) -> list[BlockFrame]:
    """Return the frame around the block that this line is in: added with it, or with the first line before it."""
    frames = [
        BlockFrame(each.opening, each.closing)
        for each in (*lines, operation)
        if each.heading == operation.heading and (each.opening or each.closing)
    ]
    return frames[-1:]
