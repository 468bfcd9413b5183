"""Removes lines of the user's own from a file, finds them again, and restores them.

A line is identified by its bytes and by the line above it; if that is ambiguous, nothing is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.change import LineRemoval, RemovedLine

if TYPE_CHECKING:
    from collections.abc import Iterable


def plan_removal(content: bytes, numbers: Iterable[int]) -> LineRemoval:
    """Plan the removal of lines by number, from 1. Raises: ValueError: there is no such line."""
    lines = content.splitlines(keepends=True)
    wanted = sorted(set(numbers))
    for number in wanted:
        if not 1 <= number <= len(lines):
            raise ValueError(f"it has no line {number}")
    return LineRemoval(
        lines=tuple(
            RemovedLine(text=lines[number - 1], above=lines[number - 2] if number > 1 else b"") for number in wanted
        )
    )


def apply(removal: LineRemoval, content: bytes) -> bytes:
    """Remove the lines. Raises: ValueError: one is missing or ambiguous."""
    lines = content.splitlines(keepends=True)
    for each in reversed(removal.lines):
        places = [at for at, line in enumerate(lines) if line == each.text and _line_above(lines, at) == each.above]
        if len(places) != 1:
            raise ValueError(f"{_to_text(each.text)!r} is {'not there' if not places else 'there more than once'}")
        del lines[places[0]]
    return b"".join(lines)


def current_text(removal: LineRemoval, content: bytes) -> str | None:
    """Return the first of the lines that is back where it was; None while all are gone."""
    lines = content.splitlines(keepends=True)
    for each in removal.lines:
        if any(line == each.text and _line_above(lines, at) == each.above for at, line in enumerate(lines)):
            return _to_text(each.text)
    return None


def revert(removal: LineRemoval, content: bytes) -> bytes:
    """Restore the lines below those that they were under.

    Raises:
        ValueError: it is unclear where one was.
    """
    lines = content.splitlines(keepends=True)
    for each in removal.lines:
        if any(line == each.text and _line_above(lines, at) == each.above for at, line in enumerate(lines)):
            continue  # somebody put it back
        places = [at + 1 for at, line in enumerate(lines) if line == each.above] if each.above else [0]
        if len(places) != 1:
            raise ValueError(
                f"the line above {_to_text(each.text)!r} is {'gone' if not places else 'not the only one'}"
            )
        lines.insert(places[0], each.text)
    return b"".join(lines)


def _line_above(lines: list[bytes], at: int) -> bytes:
    return lines[at - 1] if at else b""


def _to_text(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()
