"""Our passages in a file of entries: appended, replaced by a newer wording, found again, and removed.

A passage is recognized by its bytes, or if the user touched it by its first line, which contains the entry's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.model.change import PassageEdit


def apply(passage: PassageEdit, content: bytes) -> bytes:
    """Append the passage to the content, or replace the previous one.

    Raises:
        ValueError: the previous one is missing or ambiguous; or the new one has no first line.
    """
    if not first_line(passage.new):
        raise ValueError("a passage needs a first line that distinguishes it from others")
    if first_line(passage.new) in content and not passage.old:
        raise ValueError(f"{to_text(first_line(passage.new))!r} is in the file already")
    if passage.old:
        if content.count(passage.old) != 1:
            raise ValueError("the passage that it replaces is no longer there as it was written")
        return content.replace(passage.old, passage.new)
    return content + passage.new


def current_text(passage: PassageEdit, content: bytes) -> str | None:
    """Return the passage, or if the user touched it the rest of its first line; None if it is gone."""
    if content.count(passage.new) == 1:
        return to_text(passage.new)
    first = first_line(passage.new)
    line = next((line for line in content.split(b"\n") if first in line), None)
    return None if line is None else f"{to_text(line)} …"


def revert(passage: PassageEdit, content: bytes) -> bytes:
    """Restore what was there before; unchanged if the user touched the passage."""
    if content.count(passage.new) != 1:
        return content
    before, _, after = content.partition(passage.new)
    if before and after and not passage.old and not before.endswith(b"\n"):
        after = b"\n" + after  # the end of the user's line came with the passage, and their lines must stay separate
    return before + passage.old + after


def first_line(passage: bytes) -> bytes:
    """Return what distinguishes a passage from others."""
    return passage.strip().partition(b"\n")[0].strip()


def to_text(passage: bytes) -> str:
    """Return a passage as text."""
    return passage.decode("utf-8", "replace").strip()
