"""Parses and appends lines of daily memory files, `memory/YYYY-MM-DD.md`: `### ✅ HH:MM - text`.

Everything else in the file belongs to a person or another tool, and no byte of it ever changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.summary import DAY_SIGNS, DayLine
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = lazy_regex(r"(\d{4}-\d{2}-\d{2})\.md")
"""File name of a daily file."""
_MARK_BY_SIGN = {sign: mark for mark, sign in DAY_SIGNS.items()}
_DAY_LINE = lazy_regex(rf"###\s+({'|'.join(_MARK_BY_SIGN)})\ufe0f?\s+(\d{{1,2}}:\d{{2}})\s+[-–—]\s+(\S.*)")
_WHITESPACE = lazy_regex(r"\s+")
_BOM = "\ufeff"


def read_day(text: str) -> tuple[DayLine, ...]:
    """Parse the lines of a day in file order; prose around them is skipped."""
    matches = (_DAY_LINE.fullmatch(line.strip()) for line in text.removeprefix(_BOM).splitlines())
    return tuple(
        DayLine(mark=_MARK_BY_SIGN[each[1]], time=each[2].rjust(5, "0"), text=single_line(each[3]))
        for each in matches
        if each
    )


def format_day_line(line: DayLine) -> str:
    """Format a line for the file, without its newline."""
    return f"### {line.mark.symbol} {line.time} - {single_line(line.text)}"


def single_line(text: str) -> str:
    """Put a text on one line: single spaces between words, and nothing that cannot be encoded."""
    return _WHITESPACE.sub(" ", text.encode("utf-8", "replace").decode()).strip()


def append_day_lines(content: bytes, lines: Iterable[DayLine], *, title: str = "") -> bytes:
    """Return the bytes to append to a file so that it contains these lines; empty if it already does.

    A new file gets a title. Line endings follow the file.
    """
    known = set(read_day(content.decode("utf-8", "replace")))
    new: list[DayLine] = []
    for line in lines:
        normalized = DayLine(mark=line.mark, time=line.time.rjust(5, "0"), text=single_line(line.text))
        if normalized.text and normalized not in known:
            known.add(normalized)
            new.append(normalized)
    if not new:
        return b""
    newline = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    separator = newline if content and not content.endswith(b"\n") else ""
    head = f"# {title}{newline}{newline}" if title and not content.strip() else ""
    return (separator + head + "".join(format_day_line(line) + newline for line in new)).encode()
