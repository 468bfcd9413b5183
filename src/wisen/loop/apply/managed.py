"""Our lines in a person's Markdown file: put below the right heading, found again by their ids, and taken out.

Everything is done on bytes, a line at a time: a line that is not ours is never changed, whatever is in it. The ends of
lines, a mark at the beginning of the file and a missing end of the last line stay as they are.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MARK = re.compile(rb"<!-- wisen:([A-Z]-[0-9a-z]{4,32}) -->")
"""What our lines end with. An id stands in one line of a file at most."""
_ID = re.compile(r"[A-Z]-[0-9a-z]{4,32}")
_HEADING = re.compile(rb" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*(?:#+[ \t]*)?\Z")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOM = b"\xef\xbb\xbf"


class Managed(NamedTuple):
    """A line of ours as it stands in a file."""

    id: str
    text: str
    """What it says, without its bullet and its mark."""
    number: int
    """Which line of the file it is, from 0."""


def rendered(text: str, id_: str) -> bytes:
    """A line of ours as it is written, without its end. Raises: ValueError for what cannot stand in one line."""
    if _ID.fullmatch(id_) is None:
        raise ValueError(
            f"{id_!r} is not an id of a line: a capital letter, a dash, and 4 to 32 small letters or digits"
        )
    if not text.strip() or len(text.splitlines()) > 1 or "-->" in text or "<!--" in text:
        raise ValueError(f"{text!r} cannot be a line: it must be one line, not empty, and hold no comment")
    return f"- {text.strip()} <!-- wisen:{id_} -->".encode()


def managed_in(content: bytes) -> tuple[Managed, ...]:
    """Our lines in a file, in order; a mark inside a fence of code is not one."""
    found = []
    for number, line, fenced in _walk(_lines(content)):
        mark = None if fenced else MARK.search(line)
        if mark is not None:
            text = _ITEM.sub(b"", MARK.sub(b"", line), count=1).strip()
            found.append(Managed(mark[1].decode(), text.decode("utf-8", "replace"), number))
    return tuple(found)


def with_line(content: bytes, heading: str, text: str, id_: str) -> bytes:
    """The file with a line of ours at the end of the list below a heading, which is made where it is missing.

    Raises: ValueError where that id is there already, the text cannot be a line, or no line can stand there.
    """
    ours = rendered(text, id_)
    if any(each.id == id_ for each in managed_in(content)):
        raise ValueError(f"a line {id_} is in the file already")
    new = _put(_lines(content), heading.strip(), ours, _end_of_line(content))
    if not any(each.id == id_ for each in managed_in(new)):
        raise ValueError("the file ends inside a fence of code, where a line would be an example")
    return new


def _put(lines: list[bytes], heading: str, ours: bytes, end: bytes) -> bytes:
    at = _place(lines, heading)
    if at is None:
        gap = [end] if lines and lines[-1].removeprefix(_BOM).strip() else []
        return _joined(lines, len(lines), [*gap, f"## {heading}".encode() + end, end, ours + end], end)
    gap = [] if _ITEM.match(_bare(lines[at - 1])) else [end]
    behind = [end] if at < len(lines) and lines[at].strip() else []
    return _joined(lines, at, [*gap, ours + end, *behind], end)


def without_line(content: bytes, id_: str) -> bytes:
    """The file without our line of that id; unchanged where it is not there."""
    lines = _lines(content)
    number = next((each.number for each in managed_in(content) if each.id == id_), None)
    if number is None:
        return content
    kept = lines[:number] + lines[number + 1 :]
    if number == len(lines) - 1 and kept and not _is_ended(lines[number]):
        # The last line had no end, and so has the one that is last now.
        kept[-1] = _bare(kept[-1])
    return b"".join(kept)


def _joined(lines: list[bytes], at: int, new: list[bytes], end: bytes) -> bytes:
    """Lines with others put between; a file without an end of its last line stays one."""
    before, after = list(lines[:at]), lines[at:]
    if not after and before and not _is_ended(before[-1]):
        before[-1] += end
        new = [*new[:-1], _bare(new[-1])]
    return b"".join([*before, *new, *after])


def _place(lines: list[bytes], heading: str) -> int | None:
    """Before which line a new one goes: behind all that stands below the heading. None without the heading."""
    wanted, level, last = heading.casefold().encode(), 0, None
    for number, line, fenced in _walk(lines):
        found = None if fenced else _HEADING.match(_bare(line))
        if found is not None:
            if last is not None and len(found[1]) <= level:
                break
            if last is None and found[2].decode("utf-8", "replace").casefold().encode() == wanted:
                level, last = len(found[1]), number + 1
                continue
        if last is not None and line.strip():
            last = number + 1
    return last


def _walk(lines: list[bytes]) -> list[tuple[int, bytes, bool]]:
    """Each line with its number, and whether it stands in a fence of code."""
    walked, fence = [], b""
    for number, line in enumerate(lines):
        bare = line[len(_BOM) :] if number == 0 and line.startswith(_BOM) else line
        mark = _FENCE.match(bare)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not bare[mark.end() :].strip()
            walked.append((number, bare, True))
            fence = b"" if closes else fence
        else:
            fence = mark[1] if mark is not None else b""
            walked.append((number, bare, bool(fence)))
    return walked


def _lines(content: bytes) -> list[bytes]:
    """The lines with their ends; only a line feed ends a line."""
    pieces = content.split(b"\n")
    lines = [piece + b"\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _bare(line: bytes) -> bytes:
    return line.removesuffix(b"\n").removesuffix(b"\r")


def _is_ended(line: bytes) -> bool:
    return line.endswith(b"\n")


def _end_of_line(content: bytes) -> bytes:
    """How most lines of the file end."""
    return b"\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else b"\n"
