"""Writes and reads rules as Markdown that people edit, and finds the edits that a person made."""

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
    one_line,
    parse_page,
    render_note,
    render_rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.rules.rule_page import Row

__all__ = [
    "RuleEdits",
    "RuleLine",
    "find_edits",
    "read_rules",
    "rule_rows",
    "same_line",
    "section_heading",
    "section_of",
    "write_rules",
]

_WELCOME = "Edit it with `wisen rules edit`, and it applies at once; other edits are asked about once."


class RuleEdits(NamedTuple):
    """The edits of a person. Pairs are the line before and after."""

    added: tuple[RuleLine, ...]
    """New lines. One with an id was moved from another file: that is how a person confirms a candidate."""
    reworded: tuple[tuple[RuleLine, RuleLine], ...]
    removed: tuple[RuleLine, ...]
    moved: tuple[tuple[RuleLine, RuleLine], ...]
    """Moved below another heading. Below `Archived`, or out of it, the status changes too."""


def write_rules(title: str, lines: Sequence[RuleLine], *, intro: str) -> str:
    """Write a new file. `intro` is a sentence that says what it is.

    Raises: ValueError for a text without letters or digits, and for an invalid id.
    """
    sections: dict[str, list[RuleLine]] = {name: [] for name in SECTIONS}
    for name in sorted({section_of(line) for line in lines} - {*SECTIONS, ARCHIVED}):
        sections[name] = []
    sections[ARCHIVED] = []
    for line in lines:
        sections[section_of(line)].append(line)
    written = [f"# {one_line(title)}\n\n{one_line(intro)} {_WELCOME}\n"]
    for name, found in sections.items():
        if found:
            bullets = "".join(render_rule(line) + "\n" for line in found)
            written.append(f"\n## {section_heading(name)}\n\n{bullets}")
    return "".join(written)


def section_heading(name: str) -> str:
    """Return the heading of a section in a file."""
    return name.capitalize() if name in SECTIONS else name


def read_rules(text: str) -> tuple[RuleLine, ...]:
    """Read the rules of a file, in order; never fails."""
    return tuple(row.line for row in rule_rows(parse_page(text).rows))


def rule_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are rules: no duplicates, and none whose text was removed."""
    return [row for row in rows if not row.copy and is_rule(row.line.text)]


def section_of(line: RuleLine) -> str:
    """Return the section in which a rule is written."""
    if line.status == "archived":
        return ARCHIVED
    name = heading_name(line.about)
    return OTHER if name == ARCHIVED else name


def same_line(row: Row, lines: Iterable[RuleLine]) -> RuleLine | None:
    """Return which of some lines a row without an id is: the person may have removed our comment."""
    text = row.line.text
    return next((line for line in lines if text in (line.text, f"{line.text} {render_note(line)}")), None)


def find_edits(written: str, now: str) -> RuleEdits:
    """Find the edits between what was written and the current content. The order of lines does not matter."""
    lines = read_rules(written)
    rows = rule_rows(parse_page(now).rows)
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
        new = _edited_line(old, row)
        if new.text != old.text:
            reworded.append((old, new))
        if (new.status, new.about) != (old.status, old.about):
            moved.append((old, new))
    return RuleEdits(tuple(added), tuple(reworded), tuple(missing), tuple(moved))


def _edited_line(old: RuleLine, row: Row) -> RuleLine:
    """Return a line as the person has it now, with the old metadata where the row has none."""
    new = row.line
    archived = new.status == "archived"
    about = old.about if archived else new.about
    if new.id and row.whole:
        return replace(new, about=about)
    status = "archived" if archived else "confirmed" if old.status == "archived" else old.status
    return replace(old, text=new.text if new.id else old.text, status=status, about=about)
