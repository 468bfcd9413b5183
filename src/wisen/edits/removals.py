"""Lines of a person's own that they had taken out of a file: taken out, found again, and put back.

A line is told by its bytes and by the line above it; where these do not tell it from another one, nothing is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.change import Removal, RemovedLine

if TYPE_CHECKING:
    from collections.abc import Iterable


def planned(content: bytes, numbers: Iterable[int]) -> Removal:
    """What takes the lines with these numbers out, counted from 1. Raises: ValueError: there is no such line."""
    lines = content.splitlines(keepends=True)
    wanted = sorted(set(numbers))
    for number in wanted:
        if not 1 <= number <= len(lines):
            raise ValueError(f"it has no line {number}")
    return Removal(
        lines=tuple(
            RemovedLine(text=lines[number - 1], above=lines[number - 2] if number > 1 else b"") for number in wanted
        )
    )


def onto(removal: Removal, content: bytes) -> bytes:
    """The content without the lines. Raises: ValueError: one is not there, or cannot be told from another."""
    lines = content.splitlines(keepends=True)
    for each in reversed(removal.lines):
        places = [at for at, line in enumerate(lines) if line == each.text and _above(lines, at) == each.above]
        if len(places) != 1:
            raise ValueError(f"{_shown(each.text)!r} is {'not there' if not places else 'there more than once'}")
        del lines[places[0]]
    return b"".join(lines)


def stands(removal: Removal, content: bytes) -> str | None:
    """The first of the lines that stands again where it stood; None while all are gone."""
    lines = content.splitlines(keepends=True)
    for each in removal.lines:
        if any(line == each.text and _above(lines, at) == each.above for at, line in enumerate(lines)):
            return _shown(each.text)
    return None


def off(removal: Removal, content: bytes) -> bytes:
    """The content with the lines put back below those that they stood under.

    Raises:
        ValueError: it cannot be told where one stood.
    """
    lines = content.splitlines(keepends=True)
    for each in removal.lines:
        if any(line == each.text and _above(lines, at) == each.above for at, line in enumerate(lines)):
            continue  # somebody put it back
        places = [at + 1 for at, line in enumerate(lines) if line == each.above] if each.above else [0]
        if len(places) != 1:
            raise ValueError(f"the line above {_shown(each.text)!r} is {'gone' if not places else 'not the only one'}")
        lines.insert(places[0], each.text)
    return b"".join(lines)


def _above(lines: list[bytes], at: int) -> bytes:
    return lines[at - 1] if at else b""


def _shown(line: bytes) -> str:
    return line.decode("utf-8", "replace").strip()
