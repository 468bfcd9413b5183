"""Writes and parses the Markdown format of learnings, errors and feature requests.

Parsing never fails: it takes what it recognizes, and keeps everything else verbatim in `rest`.
"""

from __future__ import annotations

from datetime import date, datetime  # noqa: TC003 - may be read back by their types
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from wisen.model.entry import PREFIXES, EntryStatus, EntryType, Priority
from wisen.rules.entry_fields import KNOWN_FIELDS, PARSERS, RESOLUTION_FIELDS, SECTIONS, normalized
from wisen.rules.entry_lines import NAME, split_entries
from wisen.text.markdown import BLANK, escape_block, escape_code, escape_inline, format_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry import Entry
    from wisen.rules.entry_lines import EntryLines, EntrySection

HEADERS = {
    EntryType.LEARNING: "# Learnings\n\nWhat was corrected, preferred or found out at work.\n\n---\n\n",
    EntryType.ERROR: "# Errors\n\nWhat failed, and what may help.\n\n---\n\n",
    EntryType.FEATURE: "# Feature requests\n\nWhat was asked for and is not there yet.\n\n---\n\n",
}
"""How a new file begins."""


class WrittenEntry(Struct, frozen=True, kw_only=True):
    """An entry as it appears in a file."""

    name: str
    type: EntryType
    category: str = ""
    """The text after the name: a category, a command, a capability."""
    logged: datetime | None = None
    """A time without a time zone is taken as UTC."""
    priority: Priority | None = None
    status: EntryStatus | None = None
    area: str = ""
    summary: str = ""
    details: str = ""
    action: str = ""
    error: str = ""
    setting: str = ""
    source: str = ""
    """Other systems have sources of their own, so any word is allowed."""
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
    """Every field and section that is unknown, invalid or repeated: verbatim, in order."""


def format_entry(  # noqa: PLR0913 - an entry's status and counts are not part of the entry
    entry: Entry,
    *,
    status: EntryStatus,
    priority: Priority,
    recurrence: int,
    first: date,
    last: date,
    evidence: Sequence[str],
) -> str:
    """Format an entry for the end of its file. Empty fields, tags, files and evidence are left out.

    Raises: ValueError if the entry's name does not match its type.
    """
    if NAME.fullmatch(entry.name) is None or not entry.name.startswith(f"{PREFIXES[entry.type]}-"):
        raise ValueError(f"{entry.name!r} is not the name of an entry: {PREFIXES[entry.type]}-YYYYMMDD-XXX")
    head = {"Logged": entry.at.isoformat(), "Priority": priority, "Status": status, "Area": escape_inline(entry.area)}
    metadata = {
        "Source": entry.source,
        "Related Files": format_list(entry.files),
        "Tags": format_list(entry.tags),
        "Pattern-Key": escape_inline(entry.key),
        "Recurrence-Count": str(recurrence),
        "First-Seen": _day(first),
        "Last-Seen": _day(last),
    }
    written = {"Evidence": "\n".join(f"- {escape_inline(each)}" for each in evidence if each)} | {
        "Metadata": "\n".join(f"- {name}: {value}" for name, value in metadata.items() if value)
    }
    sections = {title: _format_text(entry, field) for title, field in SECTIONS[entry.type].items()} | written
    return "\n\n".join(
        [
            f"## [{entry.name}] {escape_inline(entry.category or entry.key)}".rstrip(" "),
            "\n".join(f"**{name}**: {value}" for name, value in head.items() if value),
            *(f"### {title}\n{text}" for title, text in sections.items() if text),
            "---\n\n",
        ]
    )


def parse_entries(text: str) -> tuple[WrittenEntry, ...]:
    """Parse the entries of a file, in order. Never raises: what is not an entry is skipped."""
    return tuple(_parse_entry(lines) for lines in split_entries(text))


class _ParsedFields:
    """The values parsed so far."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.rest: list[str] = []

    def keep(self, field: str | None, text: str, verbatim: str) -> None:
        """Keep a value under its field, or verbatim if the field is unknown, invalid or already set."""
        if field is not None and not text.strip(BLANK):
            return
        value = None if field is None or field in self.values else PARSERS[field](text)
        if field is None or value is None:
            self.rest.append(verbatim)
        else:
            self.values[field] = value


def _parse_entry(lines: EntryLines) -> WrittenEntry:
    parsed = _ParsedFields()
    parsed.keep("category", lines.title, lines.title)
    head, *pieces = lines.pieces
    _keep_head(parsed, head, pieces)
    for piece in pieces:
        title = None if piece.title is None else normalized(piece.title)
        if title is None:
            if piece.text.strip(BLANK):
                parsed.rest.append(piece.verbatim)
        elif title == "metadata":
            for part in piece.parts(KNOWN_FIELDS):
                parsed.keep(KNOWN_FIELDS.get(part.name or ""), part.text, part.verbatim)
        elif title == "resolution":
            for part in piece.parts(RESOLUTION_FIELDS):
                parsed.keep(
                    RESOLUTION_FIELDS.get("notes" if part.name is None else part.name), part.text, part.verbatim
                )
        else:
            parsed.keep(KNOWN_FIELDS.get(title), piece.text, piece.verbatim)
    type_ = next(each for each, prefix in PREFIXES.items() if lines.name.upper().startswith(f"{prefix}-"))
    return WrittenEntry(name=lines.name, type=type_, rest=tuple(parsed.rest), **parsed.values)


def _keep_head(parsed: _ParsedFields, head: EntrySection, pieces: Sequence[EntrySection]) -> None:
    """Take the fields below the name. Without a marked summary, the unmarked text is the summary."""
    parts = list(head.parts(KNOWN_FIELDS))
    named_ones = [(normalized(piece.title or ""), piece.text) for piece in pieces] + [
        (p.name or "", p.text) for p in parts
    ]
    if not any(KNOWN_FIELDS.get(name) == "summary" and text.strip(BLANK) for name, text in named_ones):
        parsed.keep("summary", "\n\n".join(part.verbatim for part in parts if part.name is None), "")
        parts = [part for part in parts if part.name is not None]
    for part in parts:
        parsed.keep(KNOWN_FIELDS.get(part.name or ""), part.text, part.verbatim)


def _format_text(entry: Entry, field: str) -> str:
    text: str = getattr(entry, field)
    return escape_code(text) if field == "error" and text else escape_block(text)


def _day(day: date) -> str:
    """Format a date, or the date of a time."""
    return f"{day.year:04}-{day.month:02}-{day.day:02}"
