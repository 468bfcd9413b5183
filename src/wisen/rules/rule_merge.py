"""Merges new rules into a file that people edit: their own lines stay, and so do their edits of ours.

Only rule lines are touched. Our headings stay, even if nothing is left below them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from wisen.rules.rule_page import (
    ARCHIVED,
    SECTIONS,
    Page,
    Row,
    RuleLine,
    comment_spans,
    is_rule,
    mark_span,
    one_line,
    parse_page,
    render_mark,
    render_note,
    render_rule,
)
from wisen.rules.rule_text import read_rules, same_line, section_heading, section_of, write_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.rules.rule_page import Heading


class _Fate(NamedTuple):
    """What becomes of a row."""

    line: RuleLine | None
    """The new content of the row; None if it is removed."""
    elsewhere: RuleLine | None = None
    """What to write below another heading instead."""


def merge_rules(written: str, now: str, fresh: Sequence[RuleLine], *, title: str, intro: str) -> str:
    """Merge fresh rules into a file, keeping all edits that a person made.

    `written` is what we last wrote, `now` the current content; `title` and `intro` are for an empty file. A line that
    the person reworded, archived or removed stays so. A line of ours that is not among the fresh ones is removed. A
    line without an id whose text is among the fresh ones gets its id.

    Raises: ValueError for a fresh rule that cannot be written.
    """
    fresh = tuple(replace(line, text=one_line(line.text)) for line in fresh)
    before = read_rules(written)
    page = parse_page(now)
    fates = _fates(page.rows, before, fresh)
    stay = {line.id or line.text for fate in fates.values() for line in fate if line is not None}
    known = {line.id or line.text for line in before} | {row.mark for row in page.rows}
    new = [line for line in fresh if (line.id or line.text) not in stay | known]
    new += [fate.elsewhere for fate in fates.values() if fate.elsewhere is not None]
    if not now.strip("\ufeff\r\n\t "):
        return write_rules(title, new, intro=intro) if new else now
    text = _apply_fates(page, fates)
    for name in dict.fromkeys(map(section_of, new)):
        text = _add_lines(text, name, [render_rule(line) for line in new if section_of(line) == name])
    return text


def _fates(rows: Iterable[Row], before: Iterable[RuleLine], fresh: Iterable[RuleLine]) -> dict[Row, _Fate]:
    """Return what becomes of each row that changes."""
    rows = tuple(rows)
    old = {line.id: line for line in before if line.id}
    wanted = {line.id: line for line in fresh if line.id}
    present = {row.line.id for row in rows}
    unplaced = [line for line in fresh if not line.id or line.id not in present]
    fates = {}
    for row in rows:
        line = row.line
        if row.copy or not is_rule(line.text):
            fates[row] = _Fate(line if row.comments else None)
        elif line.id in wanted:
            fates[row] = _reconcile(row, old.get(line.id), wanted[line.id])
        elif line.id in old:
            fates[row] = _Fate(None)
        elif not line.id:
            same = same_line(row, unplaced)
            if same is not None:
                unplaced.remove(same)
                fates[row] = _reconcile(row, None, same)
            else:
                fates[row] = _Fate(line)
    return fates


def _reconcile(row: Row, old: RuleLine | None, fresh: RuleLine) -> _Fate:
    """Combine a fresh rule with the person's edits of it."""
    now = row.line
    text = fresh.text if old is not None and old.text == now.text else now.text
    line = replace(fresh, text=text if now.id else fresh.text)
    archived = now.status == "archived"
    if old is None or archived != (old.status == "archived"):
        back = now.status if fresh.status == "archived" else fresh.status
        return _Fate(replace(line, status="archived" if archived else back))
    return _Fate(line) if archived == (fresh.status == "archived") else _Fate(None, line)


def _apply_fates(page: Page, fates: dict[Row, _Fate]) -> str:
    """Return the page with the changed rows."""
    lines = list(page.lines)
    for row, fate in fates.items():
        last = lines[row.stop - 1]
        end = last[len(last.rstrip("\r\n")) :]
        if fate.line is None:
            # A person's note below a removed line must not become part of the line above.
            after = page.lines[row.stop] if row.stop < len(page.lines) else ""
            put = end if after[:1].isspace() and after.strip() else ""
            put = _bom(lines[row.start]) + put
        elif _is_unchanged(row, fate.line):
            continue
        else:
            put = _rewrite(row, "".join(page.lines[row.start : row.stop]).rstrip("\r\n"), fate.line) + end
        lines[row.start : row.stop] = [put, *[""] * (row.stop - row.start - 1)]
    return "".join(lines)


def _is_unchanged(row: Row, line: RuleLine) -> bool:
    """Whether a row already says all of a line. An active rule belongs to the heading above it."""
    about = line.about if line.status == "archived" and line.id else row.line.about
    return row.line == replace(line, about=about) and bool(row.mark) == bool(row.line.id)


def _rewrite(row: Row, raw: str, line: RuleLine) -> str:
    """Rewrite a row; if only our part differs, the person's bytes are kept."""
    mark = mark_span(raw) or (len(raw), len(raw))
    front, back = raw[: mark[0]].rstrip(), raw[mark[1] :]
    at = _last_position(front, row.note) if row.note else len(front)
    if row.line.text != line.text or at < 0:
        return _bom(raw) + render_rule(line, prefix=row.prefix, comments=row.comments)
    head, tail = front[:at].rstrip(), front[at + len(row.note) :]
    return " ".join(part for part in (head, render_note(line), tail.strip(), render_mark(line)) if part) + back


def _bom(text: str) -> str:
    return "\ufeff" if text.startswith("\ufeff") else ""


def _last_position(text: str, note: str) -> int:
    """Return the last position of a note outside comments; -1 if there is none."""
    for start, stop in comment_spans(text):
        text = text[:start] + "\0" * (stop - start) + text[stop:]
    return text.rfind(note)


def _add_lines(text: str, name: str, ours: list[str]) -> str:
    """Add lines below a heading, which is created if missing."""
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    page = parse_page(text)
    heading = next((each for each in page.headings if each.name == name and _can_hold_rules(each)), None)
    if heading is None:
        at = _place(page.headings, name, len(page.lines))
        ours = [f"## {section_heading(name)}", "", *ours]
        parted = False
    else:
        at, parted = _place_below(page, heading)
    before, after = "".join(page.lines[:at]), "".join(page.lines[at:])
    if before and not before.endswith("\n"):
        before += end
    if not parted and at and page.lines[at - 1].strip("\ufeff\r\n\t "):
        ours = ["", *ours]
    if after and page.lines[at].strip():
        ours = [*ours, ""]
    return before + "".join(line + end for line in ours) + after


def _can_hold_rules(heading: Heading) -> bool:
    """Whether rules belong to a heading: the archive's may have any lower level."""
    return heading.level == 2 or (heading.level > 2 and heading.name == ARCHIVED)


def _place(headings: Iterable[Heading], name: str, end: int) -> int:
    """Return the line before which a new section goes."""
    order = {each: number for number, each in enumerate(SECTIONS)} | {ARCHIVED: len(SECTIONS) + 1}
    rank = order.get(name, len(SECTIONS))
    return next((each.number for each in headings if each.level == 2 and order.get(each.name, -1) > rank), end)


def _place_below(page: Page, heading: Heading) -> tuple[int, bool]:
    """Return the line of a section before which new lines go, and whether they follow others there."""
    first = heading.number + 1
    stop = next((each.number for each in page.headings if each.number >= first), len(page.lines))
    full = [number for number in range(first, stop) if page.lines[number].strip() or number in page.hidden]
    rows = [row.stop for row in page.rows if first <= row.start < stop]
    if not rows:
        return (full[-1] + 1 if full else first), False
    at = rows[-1]
    while at < stop and (page.lines[at].strip() or at in page.hidden):
        at += 1
    return at, True
