"""Marks everything we put into an agent's context, and strips marked text from logs.

What we inject comes back in the agent's log. It must never teach, so every reader strips it first. A mark contains a
seal that differs in every session and that only the holder of the home's key can make: stripping with the key tells our
marks from imitations, so that a hostile text can neither end a block of ours nor have the user's words taken for one.
Without the key, and for marks of older versions, better too much is removed than too little.

Text that a person reads as well, the reason of a guard, begins with its sentence: it has one mark, after it, which says
how many lines before it are ours.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from hmac import compare_digest
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = "51902"
"""The part of the name that no change of case can alter, so that one search is enough for most texts."""
_NAME = f"wisen{_DIGITS}"
_MAX_PASSES = 16
"""Removing a block can join two halves of a mark. A text with more joints than this is hostile."""

_MAX_KEYED_PASSES = 64
_NAME_ANYWHERE = lazy_regex(rf"(wisen)({_DIGITS})", re.IGNORECASE | re.ASCII)
_MARK = lazy_regex(
    r"(?:<|&(?:amp;)*(?:lt|\#0*60|\#x0*3c);|\\u003c)"  # an agent may have escaped it
    r"[\s\\]{0,4}(?P<close>/[\s\\]{0,4})?" + _NAME + r"(?:-(?P<seal>[0-9a-f]{16}))?"
    r"(?(close)(?:\s{0,4}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e))?"
    r"|(?P<behind>\s{1,4}(?P<lines>[1-9]\d?)[\s\\]{0,4}/[\s\\]{0,4}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e))?)",
    re.IGNORECASE | re.ASCII,
)
_REST_OF_TAG = lazy_regex(r"[^>\n&]{0,400}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e)?", re.IGNORECASE)
_PARAGRAPH = lazy_regex(r"\n[ \t>]*\r?\n")
_BLANK = " \t\r\n>"
_MAX_BLOCK_LENGTH = 1 << 14
_TAG_LENGTH = 6
BLOCK_HEADINGS = lazy_regex(
    r"[\s>]*(?:Learnt from the user|What wisen learnt|From earlier sessions|This failed before|A guard of the user"
    r"|Rules that the user|Ask the user once|Said by the|Said, not|Hints, inferred|Tell the user once"
    r"|Classify these earlier user messages|Sort earlier words|Waiting for the user|Open and important|wisen\b)"
)
"""How our blocks begin: identifies what is left of one that was cut off."""


def session_seal(key: bytes, agent: str, session: str) -> str:
    """Return the seal of a session's marks: constant within a session, different in each."""
    raw = f"{agent}\0{session}".encode("utf-8", "surrogatepass")
    tag = blake2b(raw, digest_size=_TAG_LENGTH // 2, key=key[:64]).hexdigest()
    return tag + _proof(key, tag)


def _proof(key: bytes, tag: str) -> str:
    return blake2b(tag.encode("ascii"), digest_size=5, key=key[:64], person=b"wisen mark").hexdigest()


def is_own_seal(key: bytes, seal: str) -> bool:
    """Whether a seal was made with this key, for whichever session."""
    seal = seal.lower()
    return bool(key) and compare_digest(seal[_TAG_LENGTH:], _proof(key, seal[:_TAG_LENGTH]))


def add_seal(block: str, seal: str) -> str:
    """Return a block with the seal in its marks; our name occurs nowhere else in it."""
    return block.replace(_NAME, f"{_NAME}-{seal}") if seal else block


def wrap(text: str) -> str:
    """Wrap the text in our marks, which begin its first line and end it. Our own name inside it is broken up."""
    return f"<{_NAME}> {_without_name(text)}\n</{_NAME}>"


def _without_name(text: str) -> str:
    return _NAME_ANYWHERE.sub(r"\1 \2", text)


def strip(text: str, key: bytes = b"") -> str:
    """Remove all our blocks from a text; the same object if there is none.

    A block without an end is removed up to the end of the text, an end without a beginning from the beginning on. With
    the `key` this applies to marks that were made with it; of others only what can be a block of ours is removed.
    """
    if _DIGITS not in text:
        return text
    for _ in range(_MAX_KEYED_PASSES if key else _MAX_PASSES):
        if _MARK.search(text) is None:
            return text
        text = _remove_own_blocks(text, key) if key else _remove_blocks(text)
    mark = _MARK.search(text)
    if key and mark is not None:
        return _NAME_ANYWHERE.sub(r"\1 \2", text)  # only imitations: nobody's words are removed with them
    return text if mark is None else text[: mark.start()]


def _remove_blocks(text: str) -> str:
    pieces: list[str] = []
    depth = 0
    position = 0
    for mark in _MARK.finditer(text):
        if mark["behind"]:
            if depth == 0:
                pieces.append(text[position : _start_of_lines(text, position, mark.start(), int(mark["lines"]))])
                position = mark.end()
        elif mark["close"] is None:
            if depth == 0:
                pieces.append(text[position : mark.start()])
            depth += 1
        elif depth > 1:
            depth -= 1
        else:
            if depth == 0:
                pieces.clear()
            depth = 0
            position = mark.end()
    if depth == 0:
        pieces.append(text[position:])
    return "".join(pieces)


class _Mark(NamedTuple):
    """A mark in a text."""

    start: int
    end: int
    close: bool
    seal: str
    lines: int
    """How many lines before it are ours, if it is the only mark; otherwise 0."""


def _remove_own_blocks(text: str, key: bytes) -> str:
    """Return the text outside of blocks whose marks were made with the key, then outside of what else may be one."""
    marks = [
        _Mark(each.start(), each.end(), each["close"] is not None, each["seal"] or "", int(each["lines"] or 0))
        for each in _MARK.finditer(text)
    ]
    own_marks = [each for each in marks if is_own_seal(key, each.seal)]
    if not own_marks:
        return _remove_other_blocks(text, marks)
    pieces: list[str] = []
    position, open_ = 0, None
    for each in own_marks:
        if each.lines:
            if open_ is None:
                pieces.append(text[position : _start_of_lines(text, position, each.start, each.lines)])
                position = each.end
        elif open_ is None and not each.close:
            pieces.append(text[position : each.start])
            open_ = each
        elif each.close and (open_ is None or each.seal.lower() == open_.seal.lower()):
            if open_ is None:
                pieces.clear()  # its beginning was cut off
            position, open_ = each.end, None
    if open_ is None:
        pieces.append(text[position:])
    return "".join(pieces)


def _remove_other_blocks(text: str, marks: Sequence[_Mark]) -> str:
    """Remove what may be a block of an older version or another machine, and imitations of marks."""
    first = marks[0]
    if first.close or first.lines:  # anybody can write a number: only their own paragraph is removed
        began = max((each.end() for each in _PARAGRAPH.finditer(text, 0, first.start)), default=0)
        return text[:began] + text[first.end :]
    end = next((each for each in marks[1:] if each.close and each.seal == first.seal), None)
    if (
        end is not None
        and end.end - first.start <= _MAX_BLOCK_LENGTH
        and not _PARAGRAPH.search(text, first.start, end.start)
    ):
        return text[: first.start] + text[end.end :]
    rest = _REST_OF_TAG.match(text, first.end)
    position = rest.end() if rest else first.end
    if BLOCK_HEADINGS.match(text, position):
        paragraph = _PARAGRAPH.search(text, position)
        position = paragraph.start() if paragraph else len(text)
    return text[: first.start] + text[position:]


def _start_of_lines(text: str, low: int, end: int, lines: int) -> int:
    """Return where text with a mark after it begins: that many lines before the mark, and their whole paragraph."""
    end = low + len(text[low:end].rstrip(_BLANK))
    paragraph = max((each.end() for each in _PARAGRAPH.finditer(text, low, end)), default=low)
    start = end
    for _ in range(lines):
        start = low + len(text[low:start].rstrip(_BLANK))
        start = text.rfind("\n", low, start) + 1 or low
        if start <= low:
            break
    return min(paragraph, max(start, low))
