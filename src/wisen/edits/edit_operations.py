"""Edit operations by kind (line, value, passage, removal): each can be applied, found again and reverted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.edits import entry_passages, removals, setting_values
from wisen.edits.managed_lines import BlockFrame, insert_line, managed_lines, remove_line, remove_lines, replace_line
from wisen.model.change import LineEdit, LineRemoval, PassageEdit, ValueEdit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.change import EditOperation


def expected_text(deed: EditOperation) -> str | None:
    """Return what `current_text` returns while an operation is in effect unchanged."""
    if isinstance(deed, LineEdit):
        return deed.text
    if isinstance(deed, LineRemoval):
        return None
    return deed.new or None if isinstance(deed, ValueEdit) else entry_passages.to_text(deed.new)


def current_text(deed: EditOperation, content: bytes | None) -> str | None:
    """Return what is currently in the place of an operation; None for nothing."""
    content = content or b""
    if isinstance(deed, LineEdit):
        return next((each.text for each in managed_lines(content) if each.id == deed.id), None)
    if isinstance(deed, LineRemoval):
        return removals.current_text(deed, content)
    return (
        setting_values.current_text(deed, content)
        if isinstance(deed, ValueEdit)
        else entry_passages.current_text(deed, content)
    )


def has_line(id_: str, content: bytes) -> bool:
    """Whether a file contains our line with this id."""
    return bool(id_) and any(each.id == id_ for each in managed_lines(content))


def reapply(deed: EditOperation, content: bytes) -> bytes:
    """Apply an operation once more that was applied before.

    Raises:
        ValueError: it cannot be applied there.
        SettingsUnclear: the same, in a settings file.
    """
    if isinstance(deed, LineEdit):
        if has_line(deed.instead_of, content):
            return replace_line(content, deed.instead_of, deed.text, deed.id)
        return insert_line(remove_lines(content, deed.archived), deed.heading, deed.text, deed.id).content
    if isinstance(deed, LineRemoval):
        return removals.apply(deed, content)
    return setting_values.apply(deed, content) if isinstance(deed, ValueEdit) else entry_passages.apply(deed, content)


def revert(deed: EditOperation, content: bytes, earlier: Iterable[EditOperation]) -> bytes:
    """Remove an operation's effect from a file that others touched since; unchanged if nothing of it is left.

    `earlier`: the earlier operations on the file that are still in effect, oldest first.

    Raises:
        SettingsUnclear: it is unclear what is left.
    """
    if isinstance(deed, ValueEdit):
        return setting_values.revert(deed, content, [each for each in earlier if isinstance(each, ValueEdit)])
    if isinstance(deed, LineRemoval):
        return removals.revert(deed, content)
    if not isinstance(deed, LineEdit):
        return entry_passages.revert(deed, content)
    lines = [each for each in earlier if isinstance(each, LineEdit)]
    if current_text(deed, content) == deed.text:
        if deed.instead_of and not (deed.instead_of != deed.id and has_line(deed.instead_of, content)):
            return replace_line(content, deed.id, deed.old, deed.instead_of)
        content = remove_line(content, deed.id, _frames_of(deed, lines))
    for each in lines:
        if each.id in deed.archived and current_text(each, content) is None:
            content = insert_line(content, each.heading, each.text, each.id).content
    return content


def replaces(deed: EditOperation, earlier: EditOperation) -> bool:
    """Whether an operation replaced an earlier one, which then is no longer in effect by itself."""
    if isinstance(deed, ValueEdit) and isinstance(earlier, ValueEdit):
        return all(one == other for one, other in zip(deed.keys, earlier.keys, strict=False)) and not deed.appended
    if isinstance(deed, LineEdit) and isinstance(earlier, LineEdit):
        return deed.instead_of == earlier.id
    return isinstance(deed, PassageEdit) and isinstance(earlier, PassageEdit) and deed.old == earlier.new


def rebase(deed: EditOperation, earlier: EditOperation) -> EditOperation:
    """Return an operation as if the earlier one that it replaced had never been."""
    if (
        isinstance(deed, ValueEdit)
        and isinstance(earlier, ValueEdit)
        and (deed.keys, deed.old) == (earlier.keys, earlier.new)
    ):
        return structs.replace(deed, old=earlier.old, made=deed.made + earlier.made)
    if isinstance(deed, PassageEdit) and isinstance(earlier, PassageEdit) and deed.old == earlier.new:
        return structs.replace(deed, old=earlier.old)
    if isinstance(deed, LineEdit) and isinstance(earlier, LineEdit) and deed.instead_of == earlier.id:
        place = {"opening": earlier.opening, "closing": earlier.closing}
        return structs.replace(deed, instead_of=earlier.instead_of, old=earlier.old, **place)
    return deed


def _frames_of(deed: LineEdit, lines: list[LineEdit]) -> list[BlockFrame]:
    """Return the frame around the block that this line is in: added with it, or with the first line before it."""
    frames = [
        BlockFrame(each.opening, each.closing)
        for each in (*lines, deed)
        if each.heading == deed.heading and (each.opening or each.closing)
    ]
    return frames[-1:]
