"""Any text inside Markdown: written so that it cannot break what stands around it, and read back exactly.

A line that would be a heading, a rule, an open fence or HTML gets a backslash in front, which Markdown does not show.
What a line cannot hold is spelled as a character reference. A whole fence of code stays as it is: nothing counts in it.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

BLANK = " \t\n"
"""What may stand around a text without being part of it. Never more: other blanks are part of it."""

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})(.*)", re.DOTALL)
_STRUCTURE = r"""(?:
    \#{1,3} (?:[ \t]|\Z)                             # a heading; deeper ones may stand in a text
    | (?P<rule>[-*_]) (?:[ \t]*(?P=rule)){2,} [ \t]*\Z
    | (?:-+|=+) [ \t]*\Z                             # makes a heading of the line before it
    | `{3} | ~{3}
    | <[A-Za-z/!?]                                   # HTML, which may hide all that follows
)"""
_ESCAPE = re.compile(rf"\A([ \t]*)(\\*{_STRUCTURE})", re.VERBOSE)
_ESCAPED = re.compile(rf"\A([ \t]*)\\(\\*{_STRUCTURE})", re.VERBOSE)

_UNSAFE = re.compile(r"[\r\ud800-\udfff]")
"""Ends of lines that a reader takes for another end, and halves of characters that no file can hold."""
_INLINE = re.compile(r"\A(?:[ \t`]+|[-+*:–—])|[ \t]+\Z|[\r\n\ud800-\udfff]")
"""What gets lost in a line: blanks around it, marks of code, a point of a list before it, ends of lines."""
_SPELLING = re.compile(r"&((?:amp;)*#[0-9]{1,7};)")
_SPELLED = re.compile(r"&(?:amp;((?:amp;)*#[0-9]{1,7};)|#([0-9]{1,7});)")
_MEANT = frozenset(map(ord, " \t\n\r`,-+*:–—")) | frozenset(range(0xD800, 0xE000))
"""Which references we write. Others stay as they are: somebody may speak of them."""


def find_fences(lines: Sequence[str]) -> list[range]:
    """Which lines are fences of code, with their marks. A fence that is never closed is none."""
    found: list[range] = []
    endless: dict[str, float] = {"`": math.inf, "~": math.inf}
    at = 0
    while at < len(lines):
        mark, end = _opening(lines[at]), None
        if mark and len(mark) < endless[mark[0]]:
            end = next((n for n in range(at + 1, len(lines)) if _closes(lines[n], mark)), None)
            if end is None:
                endless[mark[0]] = len(mark)  # nor does a longer one further down, so nothing is searched twice
        if end is not None:
            found.append(range(at, end + 1))
        at = at + 1 if end is None else end + 1
    return found


def escape_block(text: str) -> str:
    """A text as lines of its own, below a heading."""
    body = text.strip(BLANK)
    if not body:
        return _spelled(text)
    before, _, after = text.partition(body)
    lines = body.split("\n")
    spans = find_fences(lines)
    kept = {number for span in spans for number in span}
    if (
        _UNSAFE.search(body)
        or any(lines[end].startswith((" ", "\t")) for span in spans for end in (span[0], span[-1]))
        or (before and 0 in kept)
        or (after and len(lines) - 1 in kept)
    ):
        kept = set()  # its fences cannot stand as they are, so they become plain lines
    shown = [line if n in kept else _UNSAFE.sub(_reference, _said(line)) for n, line in enumerate(lines)]
    shown[0] = _spelled(before) + shown[0]
    shown[-1] += _spelled(after)
    return "\n".join(line if n in kept else _ESCAPE.sub(r"\1\\\2", line) for n, line in enumerate(shown))


def unescape_block(text: str) -> str:
    """The text that was written as lines of its own; also what a person wrote there."""
    lines = text.strip(BLANK).split("\n")
    kept = {number for span in find_fences(lines) for number in span}
    return "\n".join(line if n in kept else _meant(_ESCAPED.sub(r"\1\2", line)) for n, line in enumerate(lines))


def escape_code(text: str) -> str:
    """What a machine said, in a fence of its own, where it needs no escapes."""
    if _UNSAFE.search(text):
        return escape_block(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}\n{text}\n{mark}"


def unescape_code(text: str) -> str:
    """What stands in the fence, where there is one fence and nothing else; otherwise the text."""
    lines = text.strip(BLANK).split("\n")
    return "\n".join(lines[1:-1]) if find_fences(lines) == [range(len(lines))] else unescape_block(text)


def escape_inline(text: str) -> str:
    """A text as the rest of a line."""
    return _INLINE.sub(_reference, _said(text))


def unescape_inline(text: str) -> str:
    """The text that was written as the rest of a line; also what a person wrote there, or put into marks of code."""
    bare = text.strip(BLANK)
    inner = bare[1:-1]
    ticked = bare == f"`{inner}`" and inner.strip(" \t`") != "" and "`" not in inner
    return _meant(inner if ticked else bare)


def format_list(items: Sequence[str]) -> str:
    """Texts as a list with commas in the rest of a line; empty ones are left out."""
    return ", ".join(escape_inline(item).replace(",", _spelled(",")) for item in items if item)


def parse_list(text: str) -> tuple[str, ...]:
    """The texts of such a list."""
    return tuple(filter(None, map(unescape_inline, text.split(","))))


def _opening(line: str) -> str:
    """The mark of a line that opens a fence; empty for others."""
    found = _FENCE.match(line)
    return "" if found is None or (found[1][0] == "`" and "`" in found[2]) else found[1]


def _closes(line: str, mark: str) -> bool:
    found = _FENCE.match(line)
    return found is not None and found[1].startswith(mark) and not found[2].strip(" \t")


def _said(text: str) -> str:
    """A text in which nothing looks like one of our references."""
    return _SPELLING.sub(r"&amp;\1", text)


def _spelled(text: str) -> str:
    return "".join(f"&#{ord(each)};" for each in text)


def _reference(found: re.Match[str]) -> str:
    return _spelled(found[0])


def _meant(text: str) -> str:
    """The text behind the references."""

    def one(found: re.Match[str]) -> str:
        if found[1]:
            return f"&{found[1]}"
        return chr(int(found[2])) if int(found[2]) in _MEANT else found[0]

    return _SPELLED.sub(one, text)
