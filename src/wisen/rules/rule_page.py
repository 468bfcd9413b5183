"""Parses a Markdown file of rules: its lines, its headings, and which lines are rules.

Code fences and comments hold no rules. An unclosed fence or comment counts as prose, because otherwise one slip would
hide half the page.
"""

from __future__ import annotations

import json
import re
from datetime import date  # noqa: TC003 - rules are read back from JSON by their types
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from wisen.rules.hidden_spans import HiddenSpans
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator

State: TypeAlias = Literal["confirmed", "pending", "stale", "archived"]

OTHER = "other"
SECTIONS = ("command", "file", "tool", "style", "project fact", OTHER)
"""The headings of a file in order; a person's own come after them, and archived rules last."""
ARCHIVED = "Archived"

_ID = r"[A-Z]-[0-9a-z]{4,32}"
_MARK = lazy_regex(rf"<!--[ \t]*wisen:({_ID})(?![0-9a-z])(.*?)(?:-->|\Z)", re.DOTALL)
_NOTE = lazy_regex(r"\((stale|not confirmed yet|seen in \d|used \d)[^()]*\)\Z")
_ITEM = lazy_regex(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+")
_HEADING = lazy_regex(r" {0,3}(#{1,6})(?:[ \t]+(.*))?\Z", re.DOTALL)
_BOM = "\ufeff"


class RuleLine(Struct, frozen=True, kw_only=True):
    """A rule or a candidate as it appears in a file."""

    id: str = ""
    """R-xxxx; empty for a line that a person added."""
    text: str
    status: State = "confirmed"
    created: date | None = None
    last_used: date | None = None
    uses: int = 0
    sessions: int = 0
    sources: tuple[str, ...] = ()
    """The names of the entries it was made from."""
    about: str = OTHER
    """The heading it is below."""


class Row(NamedTuple):
    """A rule with its position in a page."""

    start: int
    stop: int
    line: RuleLine
    prefix: str
    """The text before the rule: the bullet as the person wrote it."""
    note: str
    """Our note about it in parentheses, as found."""
    comments: tuple[str, ...]
    """A person's own comments in it."""
    mark: str
    """The id in its comment; empty if it has none."""
    whole: bool
    """Whether the metadata could be parsed."""
    copy: bool
    """Whether it only repeats a line above."""


class Heading(NamedTuple):
    """A heading with its position in a page."""

    number: int
    level: int
    name: str
    """One of `SECTIONS`, `ARCHIVED`, or a person's own words."""


class Page(NamedTuple):
    """A parsed text; its lines join to the same text again."""

    lines: tuple[str, ...]
    rows: tuple[Row, ...]
    headings: tuple[Heading, ...]
    hidden: frozenset[int]
    """The lines in code and in comments."""


class _Metadata(Struct, frozen=True):
    """The metadata in the comment of a rule."""

    status: State
    created: date | None = None
    last_used: date | None = None
    uses: int = 0
    sessions: int = 0
    src: tuple[str, ...] = ()
    about: str = OTHER


def parse_page(text: str) -> Page:
    """Parse a text; never fails."""
    lines = tuple(re.findall(r"[^\n]*\n|[^\n]+", text))
    bare = [_without_ending(line) for line in lines]
    if bare:
        bare[0] = bare[0].removeprefix(_BOM)
    reader, unseen = _PageBuilder(), HiddenSpans(bare)
    number = 0
    while number < len(bare):
        # A comment of ours at the start of a line was wrapped, and belongs to the line above.
        stop = number if _MARK.match(bare[number].lstrip()) else unseen.end_of_span(number)
        heading = _HEADING.match(bare[number])
        if stop > number:
            reader.hidden |= set(range(number, stop))
        elif heading is not None:
            reader.add_heading(Heading(number, len(heading[1]), heading_name(heading[2] or "")))
            stop = number + 1
        else:
            stop = _item_until(bare, number, unseen)
            if stop > number:
                reader.add_item(bare[number:stop], number)
            stop = max(stop, number + 1)
        number = stop
    return Page(lines, tuple(reader.rows), tuple(reader.headings), frozenset(reader.hidden))


def render_rule(line: RuleLine, *, prefix: str = "- ", comments: tuple[str, ...] = ()) -> str:
    """Format a rule, without the line ending. Raises: ValueError for what cannot be a rule."""
    text = one_line(line.text)
    if not is_rule(text):
        raise ValueError(f"{line.text!r} cannot be a rule: it has neither letters nor digits")
    shown = text.replace("<!--", r"<\!--").replace("-->", r"--\>")
    return prefix + " ".join(part for part in (shown, render_note(line), *comments, render_mark(line)) if part)


def render_mark(line: RuleLine) -> str:
    """Format the comment after a rule: its id and metadata. A line without an id has none."""
    if not line.id:
        return ""
    if re.fullmatch(_ID, line.id) is None:
        raise ValueError(f"{line.id!r} is not an id: a capital letter, a dash, and 4 to 32 small letters or digits")
    kept = {
        "status": line.status,
        "created": line.created and line.created.isoformat(),
        "last_used": line.last_used and line.last_used.isoformat(),
        "uses": line.uses,
        "sessions": line.sessions,
        "src": line.sources,
        "about": line.about if line.status == "archived" and line.about != OTHER else None,
    }
    data = json.dumps({name: value for name, value in kept.items() if value}, separators=(",", ":"))
    # Inside JSON strings these escapes mean the same; unescaped they could end the comment.
    data = data.replace("<", r"\u003c").replace(">", r"\u003e")
    return f"<!-- wisen:{line.id} {data} -->"


def render_note(line: RuleLine) -> str:
    """Format what a person may want to know about a rule, in parentheses; empty if there is nothing to say."""
    said = []
    since = line.last_used or line.created
    if not line.id:
        return ""
    if line.status == "stale":
        said.append("stale" if since is None else f"stale: not used since {since}")
    elif line.status == "pending":
        said.append("not confirmed yet")
    if line.sessions > 0:
        said.append(f"seen in {line.sessions} session{'s'[: line.sessions != 1]}")
    if line.uses > 0:
        said.append(f"used {line.uses} time{'s'[: line.uses != 1]}")
    return f"({', '.join(said)})" if said else ""


def one_line(text: str) -> str:
    """Return a text on one line."""
    return " ".join(filter(None, map(str.strip, text.splitlines()))).replace(r"<\!--", "<!--").replace(r"--\>", "-->")


def is_rule(text: str) -> bool:
    """Whether a text can be a rule: a line of dashes cannot."""
    return any(map(str.isalnum, text))


def heading_name(text: str) -> str:
    """Normalize the name of a heading: ours in its usual spelling, or a person's own; never empty."""
    name, longer = " ".join(text.split()), None
    while name != longer:
        longer = name
        name = _without_comments(name)[0].strip()
        front, _, back = name.rpartition(" ")
        name = name if back.strip("#") else front.strip()
    known = {each.casefold(): each for each in (*SECTIONS, ARCHIVED)}
    return known.get(name.casefold(), name) or OTHER


def comment_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the span of each comment in a line."""
    at = text.find("<!--")
    while at >= 0:
        stop = text.find("-->", at + 4)
        if stop < 0:
            return
        yield at, stop + 3
        at = text.find("<!--", stop + 3)


def mark_span(text: str) -> tuple[int, int] | None:
    """Return the span of our comment in a text."""
    found = _MARK.search(text)
    return None if found is None else found.span()


class _PageBuilder:
    """Collects rows and headings of a page, and tracks the current heading."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.headings: list[Heading] = []
        self.hidden: set[int] = set()
        self._texts: dict[str, str] = {}
        self._about = OTHER
        self._archived = 0
        """The level of the heading below which everything is archived; 0 outside."""

    def add_heading(self, heading: Heading) -> None:
        self.headings.append(heading)
        if heading.level > 1 and heading.name == ARCHIVED:
            self._archived = self._archived or heading.level
            return
        if heading.level <= self._archived:
            self._archived = 0
        if heading.level <= 2 and not self._archived:
            self._about = heading.name if heading.level == 2 else OTHER

    def add_item(self, bare: list[str], number: int) -> None:
        bullet = _ITEM.match(bare[0])
        prefix = bullet[0] if bullet else bare[0][: len(bare[0]) - len(bare[0].lstrip())]
        body = " ".join([bare[0][len(prefix) :].strip(), *map(str.strip, bare[1:])])
        mark = _MARK.search(body)
        front, comments = _without_comments(body[: mark.start()] if mark else body)
        back, more = _without_comments(body[mark.end() :] if mark else "")
        kept = _decode_metadata(mark[2]) if mark else None
        text, note = _split_note(front, mark[1] if mark else "", kept)
        text = one_line(f"{text} {back.strip()}")
        whole = mark is None or kept is not None
        id_ = mark[1] if mark else ""
        copy = id_ in self._texts
        line = self._line(text, note, "" if copy else id_, kept)
        comments += tuple(each for each in more if not _MARK.match(each))
        same = copy and (self._texts[id_] == text or not is_rule(text))
        self.rows.append(Row(number, number + len(bare), line, prefix, note, comments, id_, whole, same))
        if id_ and not copy:
            self._texts[id_] = text

    def _line(self, text: str, note: str, id_: str, kept: _Metadata | None) -> RuleLine:
        status: State = "confirmed"
        if id_ and kept is not None:
            # Whatever the metadata says, a rule outside the archive is not archived: a person has moved it back.
            status = "confirmed" if kept.status == "archived" else kept.status
        elif id_:
            status = "stale" if note.startswith("(stale") else "pending" if note.startswith("(not") else "confirmed"
        status = "archived" if self._archived else status
        about = (kept.about if kept and id_ else OTHER) if self._archived else self._about
        if kept is None or not id_:
            return RuleLine(id=id_, text=text, status=status, about=about)
        return RuleLine(
            id=id_,
            text=text,
            status=status,
            created=kept.created,
            last_used=kept.last_used,
            uses=kept.uses,
            sessions=kept.sessions,
            sources=kept.src,
            about=about,
        )


def _item_until(bare: list[str], number: int, unseen: HiddenSpans) -> int:
    """Return the line after the rule that starts here; the same number if none does."""
    first = bare[number]
    bullet = _ITEM.match(first)
    if _MARK.search(first) is not None:
        return number + 1
    if bullet is None or _width(bullet[1]) > 3 or not is_rule(_without_comments(first[bullet.end() :])[0]):
        return number
    for at in range(number + 1, len(bare)):
        line = bare[at]
        inside = line.strip() and _width(line[: len(line) - len(line.lstrip())]) >= _width(bullet[1]) + 2
        wrapped = _MARK.match(line.lstrip()) is not None
        if not inside or _HEADING.match(line) or (not wrapped and unseen.end_of_span(at) > at):
            return at
        if _MARK.search(line):
            return at if _ITEM.match(line) else at + 1
    return len(bare)


def _split_note(front: str, id_: str, kept: _Metadata | None) -> tuple[str, str]:
    """Split the text before our comment into the rule and our note."""
    front = front.strip()
    note = ""
    if id_ and kept is not None:
        note = render_note(RuleLine(id=id_, text="", **{name: getattr(kept, name) for name in _NOTED}))
        if not note:
            return front, ""
    at = front.rfind(note) if note else -1
    if at >= 0:
        return f"{front[:at].rstrip()} {front[at + len(note) :].lstrip()}".strip(), note
    found = _NOTE.search(front) if id_ else None
    return (front[: found.start()].rstrip(), found[0]) if found else (front, "")


_NOTED = ("status", "created", "last_used", "uses", "sessions")


def _decode_metadata(data: str) -> _Metadata | None:
    try:
        return msgspec.json.decode(data.strip(), type=_Metadata)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _without_comments(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text without its comments, and the comments."""
    kept, comments, at = [], [], 0
    for start, stop in comment_spans(text):
        kept.append(text[at:start])
        comments.append(text[start:stop])
        at = stop
    return "".join([*kept, text[at:]]), tuple(comments)


def _width(indent: str) -> int:
    return len(indent.expandtabs(4))


def _without_ending(line: str) -> str:
    return line[:-2] if line.endswith("\r\n") else line.removesuffix("\n")
