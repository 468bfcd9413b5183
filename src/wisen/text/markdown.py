"""Escapes arbitrary text for Markdown so that it cannot break the surrounding document, and unescapes it losslessly.

A line that would be a heading, a rule, an open fence or HTML gets a leading backslash, which Markdown does not show.
What a line cannot contain becomes a character reference. A complete code fence stays as it is.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

BLANK = " \t\n"
"""Whitespace around a text that is not part of it. Only these: other whitespace is part of it."""

_FENCE = lazy_regex(r"[ \t]*(`{3,}|~{3,})(.*)", re.DOTALL)
_STRUCTURE = r"""(?:
    \#{1,3} (?:[ \t]|\Z)                             # a heading; deeper ones are allowed in a text
    | (?P<rule>[-*_]) (?:[ \t]*(?P=rule)){2,} [ \t]*\Z
    | (?:-+|=+) [ \t]*\Z                             # makes a heading of the line before it
    | `{3} | ~{3}
    | <[A-Za-z/!?]                                   # HTML, which may hide everything after it
)"""
_ESCAPE = lazy_regex(rf"\A([ \t]*)(\\*{_STRUCTURE})", re.VERBOSE)
_ESCAPED = lazy_regex(rf"\A([ \t]*)\\(\\*{_STRUCTURE})", re.VERBOSE)

_UNSAFE = lazy_regex(r"[\r\ud800-\udfff]")
"""Carriage returns, which readers treat as line ends, and surrogates, which cannot be encoded."""
_INLINE = lazy_regex(r"\A(?:[ \t`]+|[-+*:–—])|[ \t]+\Z|[\r\n\ud800-\udfff]")
"""What would get lost in a line: surrounding whitespace, code marks, a list marker in front, line breaks."""
_REFERENCE_LIKE = lazy_regex(r"&((?:amp;)*#[0-9]{1,7};)")
_REFERENCE = lazy_regex(r"&(?:amp;((?:amp;)*#[0-9]{1,7};)|#([0-9]{1,7});)")
_OWN_REFERENCES = frozenset(map(ord, " \t\n\r`,-+*:–—")) | frozenset(range(0xD800, 0xE000))
"""The references that we write. Others stay as they are: the text may be about them."""


def find_fences(lines: Sequence[str]) -> list[range]:
    """Return the line ranges of code fences, including their marks. An unclosed fence does not count."""
    found: list[range] = []
    unclosed: dict[str, float] = {"`": math.inf, "~": math.inf}
    index = 0
    while index < len(lines):
        mark, end = _fence_mark(lines[index]), None
        if mark and len(mark) < unclosed[mark[0]]:
            end = next((n for n in range(index + 1, len(lines)) if _closes_fence(lines[n], mark)), None)
            if end is None:
                # A longer one further down is not closed either, so nothing is searched twice.
                unclosed[mark[0]] = len(mark)
        if end is not None:
            found.append(range(index, end + 1))
        index = index + 1 if end is None else end + 1
    return found


def escape_block(text: str) -> str:
    """Escape a text as separate lines below a heading."""
    body = text.strip(BLANK)
    if not body:
        return _to_references(text)
    before, _, after = text.partition(body)
    lines = body.split("\n")
    spans = find_fences(lines)
    fenced = {number for span in spans for number in span}
    if (
        _UNSAFE.search(body)
        or any(lines[end].startswith((" ", "\t")) for span in spans for end in (span[0], span[-1]))
        or (before and 0 in fenced)
        or (after and len(lines) - 1 in fenced)
    ):
        fenced = set()  # its fences cannot be kept as they are, so they become plain lines
    escaped = [
        line if n in fenced else _UNSAFE.sub(_match_to_reference, _escape_references(line))
        for n, line in enumerate(lines)
    ]
    escaped[0] = _to_references(before) + escaped[0]
    escaped[-1] += _to_references(after)
    return "\n".join(line if n in fenced else _ESCAPE.sub(r"\1\\\2", line) for n, line in enumerate(escaped))


def unescape_block(text: str) -> str:
    """Unescape a text written as separate lines; also handles what a person wrote there."""
    lines = text.strip(BLANK).split("\n")
    fenced = {number for span in find_fences(lines) for number in span}
    return "\n".join(
        line if n in fenced else _resolve_references(_ESCAPED.sub(r"\1\2", line)) for n, line in enumerate(lines)
    )


def escape_code(text: str) -> str:
    """Put machine output in a code fence, where it needs no escapes."""
    if _UNSAFE.search(text):
        return escape_block(text)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}\n{text}\n{mark}"


def unescape_code(text: str) -> str:
    """Return the content of the fence if the text is exactly one fence; otherwise the unescaped text."""
    lines = text.strip(BLANK).split("\n")
    return "\n".join(lines[1:-1]) if find_fences(lines) == [range(len(lines))] else unescape_block(text)


def escape_inline(text: str) -> str:
    """Escape a text as the rest of a line."""
    return _INLINE.sub(_match_to_reference, _escape_references(text))


def unescape_inline(text: str) -> str:
    """Unescape the rest of a line; also handles what a person wrote there or put in backticks."""
    stripped = text.strip(BLANK)
    content = stripped[1:-1]
    is_code = stripped == f"`{content}`" and content.strip(" \t`") != "" and "`" not in content
    return _resolve_references(content if is_code else stripped)


def format_list(items: Sequence[str]) -> str:
    """Format texts as a comma-separated list in the rest of a line; empty ones are dropped."""
    return ", ".join(escape_inline(item).replace(",", _to_references(",")) for item in items if item)


def parse_list(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list."""
    return tuple(filter(None, map(unescape_inline, text.split(","))))


def _fence_mark(line: str) -> str:
    """Return the mark of a line that opens a fence; empty for others."""
    found = _FENCE.match(line)
    return "" if found is None or (found[1][0] == "`" and "`" in found[2]) else found[1]


def _closes_fence(line: str, mark: str) -> bool:
    found = _FENCE.match(line)
    return found is not None and found[1].startswith(mark) and not found[2].strip(" \t")


def _escape_references(text: str) -> str:
    """Escape text that looks like one of our references."""
    return _REFERENCE_LIKE.sub(r"&amp;\1", text)


def _to_references(text: str) -> str:
    return "".join(f"&#{ord(each)};" for each in text)


def _match_to_reference(found: re.Match[str]) -> str:
    return _to_references(found[0])


def _resolve_references(text: str) -> str:
    """Replace our references with the characters they stand for."""

    def resolve(found: re.Match[str]) -> str:
        if found[1]:
            return f"&{found[1]}"
        return chr(int(found[2])) if int(found[2]) in _OWN_REFERENCES else found[0]

    return _REFERENCE.sub(resolve, text)
