"""Rules and candidates as Markdown that people edit: written, read back, and what a person did to them in between."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from wisen.rules.rule_page import (
    ARCHIVED,
    OTHER,
    SECTIONS,
    RuleLine,
    heading_name,
    is_rule,
    note_of,
    page_of,
    plain,
    rendered,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.rules.rule_page import Row

__all__ = [
    "Edited",
    "RuleLine",
    "edits",
    "read_rules",
    "rules_in",
    "same_line",
    "section_heading",
    "section_of",
    "write_rules",
]

_WELCOME = "Edit it with `wisen rules edit`, and it holds at once; what is done to it otherwise is asked about once."


class Edited(NamedTuple):
    """What a person did to a file. Pairs are the line before and after."""

    added: tuple[RuleLine, ...]
    """New lines. One with an id came from another file: so a person confirms a candidate."""
    reworded: tuple[tuple[RuleLine, RuleLine], ...]
    removed: tuple[RuleLine, ...]
    moved: tuple[tuple[RuleLine, RuleLine], ...]
    """Put below another heading. Below `Archived`, or out from there, it has another status."""


def write_rules(title: str, lines: Sequence[RuleLine], *, intro: str) -> str:
    """A new file. `intro` says in a sentence what it is.

    Raises: ValueError for a text without letters or digits, and for a wrong id.
    """
    sections: dict[str, list[RuleLine]] = {name: [] for name in SECTIONS}
    for name in sorted({section_of(line) for line in lines} - {*SECTIONS, ARCHIVED}):
        sections[name] = []
    sections[ARCHIVED] = []
    for line in lines:
        sections[section_of(line)].append(line)
    written = [f"# {plain(title)}\n\n{plain(intro)} {_WELCOME}\n"]
    for name, found in sections.items():
        if found:
            bullets = "".join(rendered(line) + "\n" for line in found)
            written.append(f"\n## {section_heading(name)}\n\n{bullets}")
    return "".join(written)


def section_heading(name: str) -> str:
    """A section's name as it stands in a file."""
    return name.capitalize() if name in SECTIONS else name


def read_rules(text: str) -> tuple[RuleLine, ...]:
    """The rules in a file, in order; whatever the file holds, this does not fail."""
    return tuple(row.line for row in rules_in(page_of(text).rows))


def rules_in(rows: Iterable[Row]) -> list[Row]:
    """The rows that are rules: no copies, and none whose text was taken away."""
    return [row for row in rows if not row.copy and is_rule(row.line.text)]


def section_of(line: RuleLine) -> str:
    """The heading a rule is written below."""
    if line.status == "archived":
        return ARCHIVED
    name = heading_name(line.about)
    return OTHER if name == ARCHIVED else name


def same_line(row: Row, lines: Iterable[RuleLine]) -> RuleLine | None:
    """Which of some lines a row without an id is: the person may have taken our comment off."""
    text = row.line.text
    return next((line for line in lines if text in (line.text, f"{line.text} {note_of(line)}")), None)


def edits(written: str, now: str) -> Edited:
    """What a person did between what was written and what the file holds now. Another order is nothing."""
    lines = read_rules(written)
    rows = rules_in(page_of(now).rows)
    before = {line.id: line for line in lines if line.id}
    present = {row.line.id for row in rows if row.line.id}
    missing = [line for line in lines if line.id not in present]
    added, reworded, moved = [], [], []
    for row in rows:
        old = before.get(row.line.id) if row.line.id else same_line(row, missing)
        if old is None:
            added.append(row.line)
            continue
        if not row.line.id:
            missing.remove(old)
        new = _taken(old, row)
        if new.text != old.text:
            reworded.append((old, new))
        if (new.status, new.about) != (old.status, old.about):
            moved.append((old, new))
    return Edited(tuple(added), tuple(reworded), tuple(missing), tuple(moved))


def _taken(old: RuleLine, row: Row) -> RuleLine:
    """A line as the person has it now. What the row does not say is as it was."""
    new = row.line
    archived = new.status == "archived"
    about = old.about if archived else new.about
    if new.id and row.whole:
        return replace(new, about=about)
    status = "archived" if archived else "confirmed" if old.status == "archived" else old.status
    return replace(old, text=new.text if new.id else old.text, status=status, about=about)
