"""Passages of ours in a file of entries: put at the end, replaced by a newer wording, found again, and taken out.

A passage is told by its bytes, or when a person touched it by its first line, which carries the entry's id.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.model.change import Passage


def onto(passage: Passage, content: bytes) -> bytes:
    """The content with the passage at its end, or in the place of the one before it.

    Raises:
        ValueError: the one before it is not there, or is there more than once; or the new one has no first line.
    """
    if not first_line(passage.new):
        raise ValueError("a passage needs a first line that tells it from others")
    if first_line(passage.new) in content and not passage.old:
        raise ValueError(f"{shown(first_line(passage.new))!r} is in the file already")
    if passage.old:
        if content.count(passage.old) != 1:
            raise ValueError("what it replaces is not there any more as it was written")
        return content.replace(passage.old, passage.new)
    return content + passage.new


def stands(passage: Passage, content: bytes) -> str | None:
    """The passage, or where he touched it the rest of its first line; None where it is gone."""
    if content.count(passage.new) == 1:
        return shown(passage.new)
    first = first_line(passage.new)
    line = next((line for line in content.split(b"\n") if first in line), None)
    return None if line is None else f"{shown(line)} …"


def off(passage: Passage, content: bytes) -> bytes:
    """The content with what stood there before; as it is, where he touched the passage."""
    if content.count(passage.new) != 1:
        return content
    before, _, after = content.partition(passage.new)
    if before and after and not passage.old and not before.endswith(b"\n"):
        after = b"\n" + after  # the end of his line came with the passage, and his lines stay apart
    return before + passage.old + after


def first_line(passage: bytes) -> bytes:
    """What tells a passage from others."""
    return passage.strip().partition(b"\n")[0].strip()


def shown(passage: bytes) -> str:
    """A passage as text."""
    return passage.decode("utf-8", "replace").strip()
