"""The known Markdown format of learnings, errors and feature requests: entries written, and read as people left them.

Reading takes what it can tell and never fails. What it does not know is kept as it stands, in `rest`.
"""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 - may be read back by their types
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from wisen.model.entry import PREFIXES, EntryStatus, EntryType, Priority
from wisen.rules.entry_fields import KNOWN, NOTES, READ, SECTIONS, named
from wisen.rules.entry_lines import NAME, entries
from wisen.text.markdown import BLANK, block, code, inline, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry import Entry
    from wisen.rules.entry_lines import EntryLines, Piece

HEADERS = {
    EntryType.LEARNING: "# Learnings\n\nWhat was corrected, preferred or found out at work.\n\n---\n\n",
    EntryType.ERROR: "# Errors\n\nWhat failed, and what may help.\n\n---\n\n",
    EntryType.FEATURE: "# Feature requests\n\nWhat was asked for and is not there yet.\n\n---\n\n",
}
"""With what a new file begins."""


class WrittenEntry(Struct, frozen=True, kw_only=True):
    """An entry as it stands in such a file."""

    name: str
    type: EntryType
    category: str = ""
    """What stands behind the name: a category, a command, a capability."""
    logged: datetime | None = None
    """A time without a zone is taken for UTC."""
    priority: Priority | None = None
    status: EntryStatus | None = None
    area: str = ""
    summary: str = ""
    details: str = ""
    action: str = ""
    error: str = ""
    setting: str = ""
    source: str = ""
    """Other systems have sources of their own, so any word may stand here."""
    files: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    key: str = ""
    recurrence: int = 1
    first_seen: date | None = None
    last_seen: date | None = None
    see_also: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    resolution: str = ""
    """The notes on how it was resolved."""
    rest: tuple[str, ...] = ()
    """Every field and section that is not known, cannot be read or stands there again: verbatim, in order."""


def write(  # noqa: PLR0913 - what was decided about an entry and how often it was seen stand outside of it
    entry: Entry,
    *,
    status: EntryStatus,
    priority: Priority,
    recurrence: int,
    first: date,
    last: date,
    evidence: Sequence[str],
) -> str:
    """One entry as it is put at the end of its file. Empty fields, tags, files and evidence are left out.

    Raises: ValueError where the entry's name is not one of its type.
    """
    if NAME.fullmatch(entry.name) is None or not entry.name.startswith(f"{PREFIXES[entry.type]}-"):
        raise ValueError(f"{entry.name!r} is not the name of an entry: {PREFIXES[entry.type]}-YYYYMMDD-XXX")
    head = {"Logged": entry.at.isoformat(), "Priority": priority, "Status": status, "Area": inline(entry.area)}
    metadata = {
        "Source": entry.source,
        "Related Files": listed(entry.files),
        "Tags": listed(entry.tags),
        "Pattern-Key": inline(entry.key),
        "Recurrence-Count": str(recurrence),
        "First-Seen": _day(first),
        "Last-Seen": _day(last),
    }
    written = {"Evidence": "\n".join(f"- {inline(each)}" for each in evidence if each)} | {
        "Metadata": "\n".join(f"- {name}: {value}" for name, value in metadata.items() if value)
    }
    sections = {title: _shown(entry, field) for title, field in SECTIONS[entry.type].items()} | written
    return "\n\n".join(
        [
            f"## [{entry.name}] {inline(entry.category or entry.key)}".rstrip(" "),
            "\n".join(f"**{name}**: {value}" for name, value in head.items() if value),
            *(f"### {title}\n{text}" for title, text in sections.items() if text),
            "---\n\n",
        ]
    )


def read(text: str) -> tuple[WrittenEntry, ...]:
    """The entries of a file, in order. Never raises: what is not an entry is skipped."""
    return tuple(_read(lines) for lines in entries(text))


class _Taken:
    """What was read of an entry so far."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.rest: list[str] = []

    def take(self, field: str | None, text: str, verbatim: str) -> None:
        """Keep a value under its field, or verbatim where it is unknown, unreadable or there already."""
        if field is not None and not text.strip(BLANK):
            return
        value = None if field is None or field in self.values else READ[field](text)
        if field is None or value is None:
            self.rest.append(verbatim)
        else:
            self.values[field] = value


def _read(lines: EntryLines) -> WrittenEntry:
    taken = _Taken()
    taken.take("category", lines.title, lines.title)
    head, *pieces = lines.pieces
    _take_head(taken, head, pieces)
    for piece in pieces:
        title = None if piece.title is None else named(piece.title)
        if title is None:
            if piece.text.strip(BLANK):
                taken.rest.append(piece.verbatim)
        elif title == "metadata":
            for part in piece.parts(KNOWN):
                taken.take(KNOWN.get(part.name or ""), part.text, part.verbatim)
        elif title == "resolution":
            for part in piece.parts(NOTES):
                taken.take(NOTES.get("notes" if part.name is None else part.name), part.text, part.verbatim)
        else:
            taken.take(KNOWN.get(title), piece.text, piece.verbatim)
    type_ = next(each for each, prefix in PREFIXES.items() if lines.name.upper().startswith(f"{prefix}-"))
    return WrittenEntry(name=lines.name, type=type_, rest=tuple(taken.rest), **taken.values)


def _take_head(taken: _Taken, head: Piece, pieces: Sequence[Piece]) -> None:
    """Take the fields below the name. Where no summary is marked as one, it is what stands there without a mark."""
    parts = list(head.parts(KNOWN))
    named_ones = [(named(piece.title or ""), piece.text) for piece in pieces] + [(p.name or "", p.text) for p in parts]
    if not any(KNOWN.get(name) == "summary" and text.strip(BLANK) for name, text in named_ones):
        taken.take("summary", "\n\n".join(part.verbatim for part in parts if part.name is None), "")
        parts = [part for part in parts if part.name is not None]
    for part in parts:
        taken.take(KNOWN.get(part.name or ""), part.text, part.verbatim)


def _shown(entry: Entry, field: str) -> str:
    text: str = getattr(entry, field)
    return code(text) if field == "error" and text else block(text)


def _day(day: date) -> str:
    """A day, also of a time."""
    return f"{day.year:04}-{day.month:02}-{day.day:02}"
