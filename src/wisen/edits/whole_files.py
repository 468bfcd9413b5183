"""Whole files that were written or deleted: found again by their content, and reverted only if nobody touched them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.change import content_digest

if TYPE_CHECKING:
    from wisen.model.change import FileEdit


def current_text(content: bytes | None) -> str | None:
    """Return a short name of a content: the digest, so that nothing a user wrote is stored; None for no file."""
    return content_digest(content) if content else None


def expected_text(edit: FileEdit) -> str | None:
    """Return the same for what was written."""
    return current_text(edit.new)


def reapply(edit: FileEdit, content: bytes) -> bytes:
    """Write the file once more. Raises: ValueError: something else is in its place, or it was deleted."""
    if edit.new is None or content not in (b"", edit.new):
        raise ValueError("the file holds something else")
    return edit.new


def revert(content: bytes) -> bytes:
    """Refuse to revert a file that others touched. Raises: ValueError unless nothing is left of it."""
    if content:
        raise ValueError("the whole file was written, and somebody has edited it since")
    return content
