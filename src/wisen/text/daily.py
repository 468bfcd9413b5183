"""The file of a day, `memory/YYYY-MM-DD.md`: lines `### ✅ HH:MM - text` are read out of it and put to its end.

Whatever else stands there is a person's or another tool's, and no byte of it ever changes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.summary import DAY_SIGNS, DayLine

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = re.compile(r"(\d{4}-\d{2}-\d{2})\.md")
"""What such a file is called."""
_MARKS = {sign: mark for mark, sign in DAY_SIGNS.items()}
_LINE = re.compile(rf"###\s+({'|'.join(_MARKS)})\ufe0f?\s+(\d{{1,2}}:\d{{2}})\s+[-–—]\s+(\S.*)")
_BLANK = re.compile(r"\s+")
_BOM = "\ufeff"


def read_day(text: str) -> tuple[DayLine, ...]:
    """The lines of a day in the order in which they stand; a person's prose around them is passed over."""
    found = (_LINE.fullmatch(line.strip()) for line in text.removeprefix(_BOM).splitlines())
    return tuple(
        DayLine(mark=_MARKS[each[1]], time=each[2].rjust(5, "0"), text=single_line(each[3])) for each in found if each
    )


def format_day_line(line: DayLine) -> str:
    """A line as it stands in the file, without its end."""
    return f"### {line.mark.symbol} {line.time} - {single_line(line.text)}"


def single_line(text: str) -> str:
    """A text as the rest of a line: one blank between words, and nothing that could not stand in a file."""
    return _BLANK.sub(" ", text.encode("utf-8", "replace").decode()).strip()


def append_day_lines(content: bytes, lines: Iterable[DayLine], *, title: str = "") -> bytes:
    """What has to be put behind a content for these lines to stand in it; nothing where they all do.

    A file that does not exist yet gets a title. The ends of lines are those of the file.
    """
    known = set(read_day(content.decode("utf-8", "replace")))
    new: list[DayLine] = []
    for line in lines:
        whole = DayLine(mark=line.mark, time=line.time.rjust(5, "0"), text=single_line(line.text))
        if whole.text and whole not in known:
            known.add(whole)
            new.append(whole)
    if not new:
        return b""
    end = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    parted = end if content and not content.endswith(b"\n") else ""
    head = f"# {title}{end}{end}" if title and not content.strip() else ""
    return (parted + head + "".join(format_day_line(line) + end for line in new)).encode()
