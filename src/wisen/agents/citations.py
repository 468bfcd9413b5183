"""Whether the assistant names a lesson of ours in what it says, by its id. Only the id is kept, and no word around it.

`may_cite` asks the same of bytes that were not decoded, and never says no where `cited_ids` would find one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.event import Citation

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.event import SessionKey

_IDS = re.compile(r"(?<![\w-])(?:R-[0-9a-f]{8}|(?:LRN|ERR|FEAT)-[0-9]{8}-[0-9A-F]{3,32})(?![\w-])")
_PREFIXES = ("R-", "LRN-", "FEAT-")
"""One of them stands in every id; that of an error ends as that of a rule begins."""
_PREFIX_BYTES = tuple(each.encode() for each in _PREFIXES)
_MAX_IDS = 20
"""So many ids of one text count: what names more of them lists them."""


def find_cited_ids(text: str) -> tuple[str, ...]:
    """The ids in a text, each once; none where it names so many that it only lists them."""
    if not any(each in text for each in _PREFIXES):
        return ()
    found = tuple(dict.fromkeys(_IDS.findall(text)))
    return found if len(found) <= _MAX_IDS else ()


def may_cite(line: bytearray, begin: int, end: int) -> bool:
    """Whether a stretch of a line may name an id."""
    return any(line.find(each, begin, end) >= 0 for each in _PREFIX_BYTES)


def find_citations(identity: str, text: str, session: SessionKey, at: datetime, place: str) -> list[Citation]:
    """What a text of the assistant names; `identity`: the id of what it said."""
    return [
        Citation(id=f"cited:{identity}:{name}", session=session, at=at, place=place, name=name)
        for name in find_cited_ids(text)
    ]
