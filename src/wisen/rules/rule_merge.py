"""Fresh rules put into a file that people edit: their own lines stay as they are, and what they did to ours stands.

Only lines that are rules are touched. A heading of ours stays, also where nothing is left below it.
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
    mark_of,
    mark_span,
    note_of,
    page_of,
    plain,
    rendered,
)
from wisen.rules.rule_text import read_rules, same_line, section_heading, section_of, write_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.rules.rule_page import Heading


class _Fate(NamedTuple):
    """What becomes of a row."""

    line: RuleLine | None
    """What it says from now on; None where it goes."""
    elsewhere: RuleLine | None = None
    """What is to be written below another heading instead."""


def merged(written: str, now: str, fresh: Sequence[RuleLine], *, title: str, intro: str) -> str:
    """The file with the fresh rules and with all that a person did to it.

    `written` is what we last wrote, `now` what the file holds; `title` and `intro` are for a file that is empty. A line
    that the person reworded, archived or took out stays so. A line of ours that is not among the fresh ones goes. A
    line without an id whose text is among the fresh ones gets its id.

    Raises: ValueError for a fresh rule that cannot be written.
    """
    fresh = tuple(replace(line, text=plain(line.text)) for line in fresh)
    before = read_rules(written)
    page = page_of(now)
    fates = _fates(page.rows, before, fresh)
    stay = {line.id or line.text for fate in fates.values() for line in fate if line is not None}
    known = {line.id or line.text for line in before} | {row.mark for row in page.rows}
    new = [line for line in fresh if (line.id or line.text) not in stay | known]
    new += [fate.elsewhere for fate in fates.values() if fate.elsewhere is not None]
    if not now.strip("\ufeff\r\n\t "):
        return write_rules(title, new, intro=intro) if new else now
    text = _with_fates(page, fates)
    for name in dict.fromkeys(map(section_of, new)):
        text = _with_lines(text, name, [rendered(line) for line in new if section_of(line) == name])
    return text


def _fates(rows: Iterable[Row], before: Iterable[RuleLine], fresh: Iterable[RuleLine]) -> dict[Row, _Fate]:
    """What becomes of each row that does not simply stay."""
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
            fates[row] = _reconciled(row, old.get(line.id), wanted[line.id])
        elif line.id in old:
            fates[row] = _Fate(None)
        elif not line.id:
            same = same_line(row, unplaced)
            if same is not None:
                unplaced.remove(same)
                fates[row] = _reconciled(row, None, same)
            else:
                fates[row] = _Fate(line)
    return fates


def _reconciled(row: Row, old: RuleLine | None, fresh: RuleLine) -> _Fate:
    """A fresh rule with what the person did to it since it was written."""
    now = row.line
    text = fresh.text if old is not None and old.text == now.text else now.text
    line = replace(fresh, text=text if now.id else fresh.text)
    archived = now.status == "archived"
    if old is None or archived != (old.status == "archived"):
        back = now.status if fresh.status == "archived" else fresh.status
        return _Fate(replace(line, status="archived" if archived else back))
    return _Fate(line) if archived == (fresh.status == "archived") else _Fate(None, line)


def _with_fates(page: Page, fates: dict[Row, _Fate]) -> str:
    """The page with each row as it is to be."""
    lines = list(page.lines)
    for row, fate in fates.items():
        last = lines[row.stop - 1]
        end = last[len(last.rstrip("\r\n")) :]
        if fate.line is None:
            # A person's note below the line must not become part of the line above.
            after = page.lines[row.stop] if row.stop < len(page.lines) else ""
            put = end if after[:1].isspace() and after.strip() else ""
            put = _bom(lines[row.start]) + put
        elif _is_said(row, fate.line):
            continue
        else:
            put = _rewritten(row, "".join(page.lines[row.start : row.stop]).rstrip("\r\n"), fate.line) + end
        lines[row.start : row.stop] = [put, *[""] * (row.stop - row.start - 1)]
    return "".join(lines)


def _is_said(row: Row, line: RuleLine) -> bool:
    """Whether a row says all of a line already. In force it belongs to the heading that it stands below."""
    about = line.about if line.status == "archived" and line.id else row.line.about
    return row.line == replace(line, about=about) and bool(row.mark) == bool(row.line.id)


def _rewritten(row: Row, raw: str, line: RuleLine) -> str:
    """A row that says something else; where only our part differs, the person's bytes stay."""
    mark = mark_span(raw) or (len(raw), len(raw))
    front, back = raw[: mark[0]].rstrip(), raw[mark[1] :]
    at = _last(front, row.note) if row.note else len(front)
    if row.line.text != line.text or at < 0:
        return _bom(raw) + rendered(line, prefix=row.prefix, comments=row.comments)
    head, tail = front[:at].rstrip(), front[at + len(row.note) :]
    return " ".join(part for part in (head, note_of(line), tail.strip(), mark_of(line)) if part) + back


def _bom(text: str) -> str:
    return "\ufeff" if text.startswith("\ufeff") else ""


def _last(text: str, note: str) -> int:
    """Where a note stands last outside of comments; -1 where it does not."""
    for start, stop in comment_spans(text):
        text = text[:start] + "\0" * (stop - start) + text[stop:]
    return text.rfind(note)


def _with_lines(text: str, name: str, ours: list[str]) -> str:
    """The text with new lines below a heading, which is made where it is missing."""
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    page = page_of(text)
    heading = next((each for each in page.headings if each.name == name and _holds(each)), None)
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


def _holds(heading: Heading) -> bool:
    """Whether rules belong to a heading: the one of the archive may be as low as the person likes."""
    return heading.level == 2 or (heading.level > 2 and heading.name == ARCHIVED)


def _place(headings: Iterable[Heading], name: str, end: int) -> int:
    """Before which line a new section goes."""
    order = {each: number for number, each in enumerate(SECTIONS)} | {ARCHIVED: len(SECTIONS) + 1}
    rank = order.get(name, len(SECTIONS))
    return next((each.number for each in headings if each.level == 2 and order.get(each.name, -1) > rank), end)


def _place_below(page: Page, heading: Heading) -> tuple[int, bool]:
    """Before which line of a section new lines go, and whether they follow others there."""
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
