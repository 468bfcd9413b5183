"""Field names of an entry in the learnings format, and how their values are parsed."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from wisen.model.entry import EntryStatus, EntryType, Priority
from wisen.text.lazy_regex import lazy_regex
from wisen.text.markdown import BLANK, parse_list, unescape_block, unescape_code, unescape_inline

if TYPE_CHECKING:
    from collections.abc import Callable
    from enum import StrEnum

_POINT = lazy_regex(r"\A[ \t]*[-*+][ \t]+")
_TIME = lazy_regex(r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+)?) ?(Z|UTC|[+-][0-9:.]+|)")
_DAY = lazy_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_COUNT = lazy_regex(r"[0-9]{1,18}")

SECTIONS: dict[EntryType, dict[str, str]] = {
    EntryType.LEARNING: {
        "Summary": "summary",
        "Details": "details",
        "Error": "error",
        "Context": "setting",
        "Suggested Action": "action",
    },
    EntryType.ERROR: {
        "Summary": "summary",
        "Error": "error",
        "Context": "setting",
        "Details": "details",
        "Suggested Fix": "action",
    },
    EntryType.FEATURE: {
        "Summary": "summary",
        "User Context": "setting",
        "Details": "details",
        "Error": "error",
        "Suggested Implementation": "action",
    },
}
"""The headings of an entry's texts, in order."""
KNOWN_FIELDS = {
    **{title.casefold(): field for titles in SECTIONS.values() for title, field in titles.items()},
    "requested capability": "summary",
    "logged": "logged",
    "category": "category",
    "priority": "priority",
    "status": "status",
    "area": "area",
    "source": "source",
    "related files": "files",
    "tags": "tags",
    "pattern key": "key",
    "recurrence count": "recurrence",
    "first seen": "first_seen",
    "last seen": "last_seen",
    "see also": "see_also",
    "evidence": "evidence",
    "resolution": "resolution",
}
"""Fields and sections by their lowercase name."""
RESOLUTION_FIELDS = {"notes": "resolution"}
"""The same, inside a resolution."""


def normalized(name: str) -> str:
    """Normalize a name: ignore case, dashes and bold."""
    return " ".join(re.split(r"[ \t_-]+", name.strip(" \t*_:：").casefold()))


def _one_of(kind: type[StrEnum]) -> Callable[[str], StrEnum | None]:
    words: dict[str, StrEnum] = {normalized(each.value): each for each in kind}
    return lambda text: words.get(normalized(text.strip(BLANK).strip("`").replace("'", "")))


def _time(text: str) -> datetime | None:
    found = _TIME.fullmatch(text.strip(BLANK + "`*").upper())
    try:
        at = datetime.fromisoformat(found[1] + found[2].replace("UTC", "Z")) if found else None
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at and at.tzinfo is None else at


def _date(text: str) -> date | None:
    found = _DAY.match(text.strip(BLANK + "`*"))
    try:
        return date.fromisoformat(found[0]) if found else None
    except ValueError:
        return None


def _count(text: str) -> int | None:
    found = _COUNT.fullmatch(text.strip(BLANK + "`*"))
    return int(found[0]) if found else None


def _items(text: str) -> tuple[str, ...]:
    """Parse a comma-separated list, or one item per line."""
    return tuple(item for line in text.split("\n") for item in parse_list(_POINT.sub("", line)))


def _points(text: str) -> tuple[str, ...]:
    """Parse bullet points; a line that is not a bullet continues the previous one."""
    points: list[str] = []
    for line in text.strip(BLANK).split("\n"):
        found = _POINT.match(line)
        if found or not points:
            points.append(line[found.end() if found else 0 :])
        else:
            points[-1] += f"\n{line}"
    return tuple(filter(None, map(unescape_inline, points)))


PARSERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("summary", "details", "action", "setting", "resolution"), unescape_block),
    **dict.fromkeys(("area", "source", "key", "category"), unescape_inline),
    **dict.fromkeys(("files", "tags", "see_also"), _items),
    "error": unescape_code,
    "evidence": _points,
    "logged": _time,
    "priority": _one_of(Priority),
    "status": _one_of(EntryStatus),
    "recurrence": _count,
    "first_seen": _date,
    "last_seen": _date,
}
"""Parsers of field values; each returns None if the value is invalid."""
