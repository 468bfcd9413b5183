"""Our lines in a person's Markdown file: put below the right heading, found again by their ids, and taken out.

Everything is done on bytes, a line at a time: a line that is not ours is never changed, whatever is in it. The ends of
lines, a mark at the beginning of the file and a missing end of the last line stay as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = re.compile(rb"<!-- wisen:([A-Z]-[0-9a-z]{4,32}) -->")
"""What our lines end with. An id stands in one line of a file at most."""
_ID = re.compile(r"[A-Z]-[0-9a-z]{4,32}")
_HEADING = re.compile(rb" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*(?:#+[ \t]*)?\Z")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")
_ITEM = re.compile(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOM = b"\xef\xbb\xbf"


class BlockFrame(NamedTuple):
    """What was put around the first of our lines below a heading. It goes when the last of them goes."""

    opening: bytes = b""
    """An empty line, or the heading that was missing, and what parts it from the text before."""
    closing: bytes = b""


class Put(NamedTuple):
    """A file with a line of ours."""

    content: bytes
    block: BlockFrame


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


def has_merge_conflict(content: bytes) -> bool:
    """Whether git left both sides of a merge in a file; what stands in a fence of code is an example."""
    bare = [line for _, line, fenced in _walk(_lines(content)) if not fenced]
    return any(line.startswith(b"<<<<<<< ") for line in bare) and any(line.startswith(b">>>>>>> ") for line in bare)


def is_unmarked(text: str, content: bytes) -> bool:
    """Whether a line says just these words without our mark, outside of code."""
    return any(
        not fenced and MARK.search(line) is None and _ITEM.sub(b"", line, count=1).strip() == text.strip().encode()
        for _, line, fenced in _walk(_lines(content))
    )


def with_line(content: bytes, heading: str, text: str, id_: str) -> Put:
    """The file with a line of ours at the end of what stands below a heading, which is made where it is missing.

    Raises: ValueError where that id is there already, the text cannot be a line, or no line can stand there.
    """
    ours = rendered(text, id_)
    if any(each.id == id_ for each in managed_in(content)):
        raise ValueError(f"a line {id_} is in the file already")
    lines, end, block = _lines(content), _end_of_line(content), BlockFrame()
    at = _place(lines, heading.strip())
    if at is None:
        at = len(lines)
        gap = end if lines and lines[-1].removeprefix(_BOM).strip() else b""
        block = BlockFrame(opening=gap + f"## {heading.strip()}".encode() + end + end)
    elif _ITEM.match(_bare(lines[at - 1])) is None:
        block = BlockFrame(opening=end, closing=end if at < len(lines) and lines[at].strip() else b"")
    before, after = b"".join(lines[:at]), b"".join(lines[at:])
    if before and not after and not _is_ended(before):
        # The last line of the file has no end, and ours gets none either.
        new = before + end + block.opening + ours
        block = BlockFrame(opening=end + block.opening) if block.opening else block
    else:
        new = before + block.opening + ours + end + block.closing + after
    if not any(each.id == id_ for each in managed_in(new)):
        raise ValueError("the file ends inside a fence of code, where a line would be an example")
    return Put(new, block)


def without_line(content: bytes, id_: str, blocks: Iterable[BlockFrame] = ()) -> bytes:
    """The file without our line of that id; unchanged where it is not there.

    `blocks`: what may have been put around the first line below its heading. It goes as well where nothing else is left
    in it.
    """
    lines = _lines(content)
    number = next((each.number for each in managed_in(content) if each.id == id_), None)
    if number is None:
        return content
    before, after = b"".join(lines[:number]), b"".join(lines[number + 1 :])
    unended = not after and not _is_ended(lines[number])
    alone = number == 0 or _ITEM.match(_bare(lines[number - 1])) is None
    if alone and _ITEM.match(lines[number + 1] if after else b"") is None:
        for opening, closing in sorted(blocks, key=lambda each: -len(each.opening) - len(each.closing)):
            if not (before.endswith(opening) and after.startswith(closing)):
                continue
            rest = before.removesuffix(opening)
            if unended:
                return _bare(rest)
            if rest and not _is_ended(rest):
                # What we put in also ended the line before, and that must stay a line.
                rest += b"\r\n" if opening.startswith(b"\r\n") else b"\n"
            return rest + after.removeprefix(closing)
    # Where the last line had no end, the one that is last now has none either.
    return _bare(before) if unended else before + after


def with_line_replaced(content: bytes, id_: str, text: str, new_id: str) -> bytes:
    """The file with our line of an id replaced by another one in the same place; all else stays as it is.

    Raises: ValueError where there is no such line, the text cannot be a line, or the new id is there already.
    """
    ours = rendered(text, new_id)
    found = {each.id: each.number for each in managed_in(content)}
    if id_ not in found or (new_id != id_ and new_id in found):
        raise ValueError(f"there is no line {id_}" if id_ not in found else f"a line {new_id} is in the file already")
    lines = _lines(content)
    old = lines[found[id_]]
    mark, bare = (_BOM if found[id_] == 0 and old.startswith(_BOM) else b""), _bare(old)
    bullet = _ITEM.match(bare.removeprefix(mark))
    head = mark + (bullet[0] if bullet else b"- ")
    lines[found[id_]] = head + ours.removeprefix(b"- ") + old[len(bare) :]
    return b"".join(lines)


def without_lines(content: bytes, ids: Iterable[str]) -> bytes:
    """The file without several lines of ours; what stands around them stays."""
    for id_ in ids:
        content = without_line(content, id_)
    return content


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
    """A line without its end; a lone carriage return is no end."""
    return line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")


def _is_ended(line: bytes) -> bool:
    return line.endswith(b"\n")


def _end_of_line(content: bytes) -> bytes:
    """How most lines of the file end."""
    return b"\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else b"\n"
