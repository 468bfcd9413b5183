"""Marks around whatever we put into an agent's context, and the removal of everything between them.

What we inject comes back in the agent's log. It must never teach, so every reader strips it first. When marks are
broken, too much is removed rather than too little.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_DIGITS = "51902"
"""The part of the name that no change of case can alter, so that one search decides for most texts."""
_NAME = f"wisen{_DIGITS}"
_VERSION = 1
_PASSES = 16
"""Removing a block can join two halves of a mark. Beyond so many joints a text was made to be hostile."""

_NAME_ANYWHERE = re.compile(rf"(wisen)({_DIGITS})", re.IGNORECASE | re.ASCII)
_MARK = re.compile(
    r"(?:<|&(?:amp;)*(?:lt|\#0*60|\#x0*3c);|\\u003c)"  # an agent may have escaped it
    r"[\s\\]{0,4}(?P<close>/[\s\\]{0,4})?"
    + _NAME
    + r"(?(close)(?:\s{0,4}(?:>|&(?:amp;)*(?:gt|\#0*62|\#x0*3e);|\\u003e))?)",
    re.IGNORECASE | re.ASCII,
)
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9._:-]")


def wrap(text: str, ids: Sequence[str] = ()) -> str:
    """The text between our marks, with the ids of what it holds. Our own name inside it is broken up."""
    inside = _NAME_ANYWHERE.sub(r"\1 \2", text)
    named = f' ids="{" ".join(_NOT_IN_AN_ID.sub("_", id_) for id_ in ids)}"' if ids else ""
    return f'<{_NAME} v="{_VERSION}"{named}>\n{inside}\n</{_NAME}>'


def strip(text: str) -> str:
    """The text without any block of ours; the same object when there is none.

    A block without an end is removed up to the end of the text, an end without a beginning from the beginning on.
    """
    if _DIGITS not in text:
        return text
    for _ in range(_PASSES):
        if _MARK.search(text) is None:
            return text
        text = _outside(text)
    found = _MARK.search(text)
    return text if found is None else text[: found.start()]


def _outside(text: str) -> str:
    pieces: list[str] = []
    depth = 0
    position = 0
    for mark in _MARK.finditer(text):
        if mark["close"] is None:
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
