"""Our managed lines in a user's Markdown file: inserted below the right heading, found by their ids, and removed.

Everything works on bytes, line by line: a line that is not ours is never changed, whatever is in it. Line ends, a byte
order mark and a missing newline at the end of the file stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = lazy_regex(rb"<!-- wisen:([A-Z]-[0-9a-z]{4,32}) -->")
"""How our lines end. An id occurs in at most one line of a file."""
_ID = lazy_regex(r"[A-Z]-[0-9a-z]{4,32}")
_HEADING = lazy_regex(rb" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*(?:#+[ \t]*)?\Z")
_FENCE = lazy_regex(rb" {0,3}(`{3,}|~{3,})")
_ITEM = lazy_regex(rb"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_BOM = b"\xef\xbb\xbf"


class BlockFrame(NamedTuple):
    """What was added around the first of our lines below a heading. It is removed with the last of them."""

    opening: bytes = b""
    """A blank line, or the missing heading, and what separates it from the text before."""
    closing: bytes = b""


class InsertedLine(NamedTuple):
    """A file with a line of ours inserted."""

    content: bytes
    block: BlockFrame


class ManagedLine(NamedTuple):
    """A line of ours in a file."""

    id: str
    text: str
    """Its text, without bullet and marker."""
    number: int
    """The line number, from 0."""


def render_line(text: str, id_: str) -> bytes:
    """Render a line of ours, without its newline. Raises: ValueError if the text does not fit in one line."""
    if _ID.fullmatch(id_) is None:
        raise ValueError(
            f"{id_!r} is not an id of a line: a capital letter, a dash, and 4 to 32 small letters or digits"
        )
    if not text.strip() or len(text.splitlines()) > 1 or "-->" in text or "<!--" in text:
        raise ValueError(f"{text!r} cannot be a line: it must be one line, not empty, and contain no comment")
    return f"- {text.strip()} <!-- wisen:{id_} -->".encode()


def managed_lines(content: bytes) -> tuple[ManagedLine, ...]:
    """Return our lines in a file, in order; a marker inside a code fence does not count."""
    lines = []
    for number, line, fenced in _with_fences(_split_lines(content)):
        mark = None if fenced else MARK.search(line)
        if mark is not None:
            text = _ITEM.sub(b"", MARK.sub(b"", line), count=1).strip()
            lines.append(ManagedLine(mark[1].decode(), text.decode("utf-8", "replace"), number))
    return tuple(lines)


def has_merge_conflict(content: bytes) -> bool:
    """Whether git left both sides of a merge in a file; inside a code fence it is an example."""
    bare = [line for _, line, fenced in _with_fences(_split_lines(content)) if not fenced]
    return any(line.startswith(b"<<<<<<< ") for line in bare) and any(line.startswith(b">>>>>>> ") for line in bare)


def has_unmarked_copy(text: str, content: bytes) -> bool:
    """Whether a line has exactly this text without our marker, outside of code."""
    return any(
        not fenced and MARK.search(line) is None and _ITEM.sub(b"", line, count=1).strip() == text.strip().encode()
        for _, line, fenced in _with_fences(_split_lines(content))
    )


def insert_line(content: bytes, heading: str, text: str, id_: str) -> InsertedLine:
    """Insert a line at the end of the section below a heading, which is added if it is missing.

    Raises: ValueError if that id exists already, the text does not fit in one line, or no line can be there.
    """
    ours = render_line(text, id_)
    if any(each.id == id_ for each in managed_lines(content)):
        raise ValueError(f"a line {id_} is in the file already")
    lines, end, block = _split_lines(content), _usual_line_end(content), BlockFrame()
    at = _insertion_point(lines, heading.strip())
    if at is None:
        at = len(lines)
        gap = end if lines and lines[-1].removeprefix(_BOM).strip() else b""
        block = BlockFrame(opening=gap + f"## {heading.strip()}".encode() + end + end)
    elif _ITEM.match(_strip_line_end(lines[at - 1])) is None:
        block = BlockFrame(opening=end, closing=end if at < len(lines) and lines[at].strip() else b"")
    before, after = b"".join(lines[:at]), b"".join(lines[at:])
    if before and not after and not _has_line_end(before):
        # The last line of the file has no newline, and ours gets none either.
        new = before + end + block.opening + ours
        block = BlockFrame(opening=end + block.opening) if block.opening else block
    else:
        new = before + block.opening + ours + end + block.closing + after
    if not any(each.id == id_ for each in managed_lines(new)):
        raise ValueError("the file ends inside a code fence, where a line would be an example")
    return InsertedLine(new, block)


def remove_line(content: bytes, id_: str, blocks: Iterable[BlockFrame] = ()) -> bytes:
    """Remove our line with that id; unchanged if it is not there.

    `blocks`: what may have been added around the first line below its heading. It is removed as well if nothing else is
    left in it.
    """
    lines = _split_lines(content)
    number = next((each.number for each in managed_lines(content) if each.id == id_), None)
    if number is None:
        return content
    before, after = b"".join(lines[:number]), b"".join(lines[number + 1 :])
    lacks_newline = not after and not _has_line_end(lines[number])
    is_alone = number == 0 or _ITEM.match(_strip_line_end(lines[number - 1])) is None
    if is_alone and _ITEM.match(lines[number + 1] if after else b"") is None:
        for opening, closing in sorted(blocks, key=lambda each: -len(each.opening) - len(each.closing)):
            if not (before.endswith(opening) and after.startswith(closing)):
                continue
            rest = before.removesuffix(opening)
            if lacks_newline:
                return _strip_line_end(rest)
            if rest and not _has_line_end(rest):
                # What we added also ended the line before, and that must stay a line.
                rest += b"\r\n" if opening.startswith(b"\r\n") else b"\n"
            return rest + after.removeprefix(closing)
    # If the last line had no newline, the new last line has none either.
    return _strip_line_end(before) if lacks_newline else before + after


def replace_line(content: bytes, id_: str, text: str, new_id: str) -> bytes:
    """Replace our line with an id by another one in the same place; everything else stays as it is.

    Raises: ValueError if there is no such line, the text does not fit in one line, or the new id exists already.
    """
    ours = render_line(text, new_id)
    numbers = {each.id: each.number for each in managed_lines(content)}
    if id_ not in numbers or (new_id != id_ and new_id in numbers):
        raise ValueError(f"there is no line {id_}" if id_ not in numbers else f"a line {new_id} is in the file already")
    lines = _split_lines(content)
    old = lines[numbers[id_]]
    mark, bare = (_BOM if numbers[id_] == 0 and old.startswith(_BOM) else b""), _strip_line_end(old)
    bullet = _ITEM.match(bare.removeprefix(mark))
    head = mark + (bullet[0] if bullet else b"- ")
    lines[numbers[id_]] = head + ours.removeprefix(b"- ") + old[len(bare) :]
    return b"".join(lines)


def remove_lines(content: bytes, ids: Iterable[str]) -> bytes:
    """Remove several lines of ours; what is around them stays."""
    for id_ in ids:
        content = remove_line(content, id_)
    return content


def _insertion_point(lines: list[bytes], heading: str) -> int | None:
    """Return the line number to insert at: after everything below the heading. None if there is no such heading."""
    wanted, level, last = heading.casefold().encode(), 0, None
    for number, line, fenced in _with_fences(lines):
        match = None if fenced else _HEADING.match(_strip_line_end(line))
        if match is not None:
            if last is not None and len(match[1]) <= level:
                break
            if last is None and match[2].decode("utf-8", "replace").casefold().encode() == wanted:
                level, last = len(match[1]), number + 1
                continue
        if last is not None and line.strip():
            last = number + 1
    return last


def _with_fences(lines: list[bytes]) -> list[tuple[int, bytes, bool]]:
    """Return each line with its number, and whether it is inside a code fence."""
    result, fence = [], b""
    for number, line in enumerate(lines):
        bare = line[len(_BOM) :] if number == 0 and line.startswith(_BOM) else line
        mark = _FENCE.match(bare)
        if fence:
            closes = mark is not None and mark[1].startswith(fence) and not bare[mark.end() :].strip()
            result.append((number, bare, True))
            fence = b"" if closes else fence
        else:
            fence = mark[1] if mark is not None else b""
            result.append((number, bare, bool(fence)))
    return result


def _split_lines(content: bytes) -> list[bytes]:
    """Split into lines with their ends; only a line feed ends a line."""
    pieces = content.split(b"\n")
    lines = [piece + b"\n" for piece in pieces[:-1]]
    return [*lines, pieces[-1]] if pieces[-1] else lines


def _strip_line_end(line: bytes) -> bytes:
    """Strip the line end; a lone carriage return is not one."""
    return line[:-2] if line.endswith(b"\r\n") else line.removesuffix(b"\n")


def _has_line_end(line: bytes) -> bool:
    return line.endswith(b"\n")


def _usual_line_end(content: bytes) -> bytes:
    """Return the most frequent line end of the file."""
    return b"\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else b"\n"
