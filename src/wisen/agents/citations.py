"""Detects ids of lessons that the assistant cites. Only the id is kept, none of the text around it.

`may_cite` checks undecoded bytes and never returns False where `find_cited_ids` would find one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.event import Citation
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.event import SessionKey

_IDS = lazy_regex(r"(?<![\w-])(?:R-[0-9a-f]{8}|(?:LRN|ERR|FEAT)-[0-9]{8}-[0-9A-F]{3,32})(?![\w-])")
_PREFIXES = ("R-", "LRN-", "FEAT-")
"""Every id contains one of them; `ERR-` ends with the prefix of a rule."""
_PREFIX_BYTES = tuple(each.encode() for each in _PREFIXES)
_MAX_IDS = 20
"""A text with more ids only lists them, and none of them count."""


def find_cited_ids(text: str) -> tuple[str, ...]:
    """Return the distinct ids in a text; none if there are so many that the text only lists them."""
    if not any(each in text for each in _PREFIXES):
        return ()
    ids = tuple(dict.fromkeys(_IDS.findall(text)))
    return ids if len(ids) <= _MAX_IDS else ()


def may_cite(line: bytearray, begin: int, end: int) -> bool:
    """Whether part of an undecoded line may contain an id."""
    return any(line.find(each, begin, end) >= 0 for each in _PREFIX_BYTES)


def find_citations(identity: str, text: str, session: SessionKey, at: datetime, place: str) -> list[Citation]:
    """Return the citations in an assistant message; `identity` is the id of the message."""
    return [
        Citation(id=f"cited:{identity}:{name}", session=session, at=at, place=place, name=name)
        for name in find_cited_ids(text)
    ]
