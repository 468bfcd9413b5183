"""Edits bracketed text (`{...}` and `[...]`) by one splice. It knows positions, not values: a style writes those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct, field

from wisen.errors import SettingsUnclear
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

Path = tuple[str | int, ...]

_BREAK = lazy_regex(r"\r\n|\n|\r")
_INDENTED = lazy_regex(r"[\r\n]([ \t]+)[^\s/*#]")
_BLANK_END = lazy_regex(r"[ \t]*(\r\n|\n|\r|\Z)")


class TextSplice(Struct, frozen=True):
    """One change of a text: what stands from `start` to `end` becomes `text`."""

    start: int
    end: int
    text: str

    def on(self, text: str) -> str:
        """The text with the change made."""
        return text[: self.start] + self.text + text[self.end :]


class Node(Struct):
    """A value and where it stands; `items` is None when it holds nothing else."""

    start: int
    end: int
    items: list[FlowItem] | None = None
    mapping: bool = False
    data: Any = None


class FlowItem(Struct):
    """A member of a mapping, or an element of a list."""

    start: int
    value: Node
    key: tuple[str, ...] = ()
    """Empty in a list; several parts for TOML's dotted keys."""
    joint: str = ""
    """What stands between key and value."""
    comma: int | None = field(default=None)


class Style(Protocol):
    """How a format writes values in brackets, and what may stand between them."""

    beside: re.Pattern[str]
    """Blanks and comments to the end of a line; the group `line` is a comment that ends only there."""
    trivia: re.Pattern[str]
    """Blanks and comments over any number of lines."""
    expands: bool
    """Whether a value on a line of its own is written over several lines."""

    def write(self, key: str | None, value: object, like: FlowItem | None, layout: Layout | None) -> str:
        """A member, or an element when there is no key; on one line when there is no layout."""


class Layout(Struct, frozen=True):
    """How a value over several lines is indented."""

    newline: str
    margin: str
    step: str


def unclear(path: Path, why: str) -> SettingsUnclear:
    """The error for a path, with the next step."""
    shown = ".".join(map(str, path)) or "the whole file"
    return SettingsUnclear(f"cannot change {shown}: {why}; nothing was written, please change it by hand")


def nested(path: Sequence[str | int], value: object) -> object:
    """The value inside the parents that a path asks for and nobody made yet."""
    for at, part in reversed(list(enumerate(path))):
        if part == 0 or (part == "-" and at == len(path) - 1):
            value = [value]
        elif isinstance(part, str) and part != "-":
            value = {part: value}
        else:
            raise unclear(tuple(path), f"there is no list with a place {part!r}")
    return value


def newline_of(text: str) -> str:
    """The line end a text uses, told by its first."""
    found = _BREAK.search(text)
    return found.group() if found else "\n"


def step_of(text: str) -> str:
    """The indentation of the first indented line."""
    found = _INDENTED.search(text)
    return found.group(1) if found else "  "


def line_start(text: str, at: int) -> int:
    """Where the line of a place begins."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end(text: str, at: int) -> int:
    """Where the line of a place ends, before its line break."""
    found = _BREAK.search(text, at)
    return found.start() if found else len(text)


def own_margin(text: str, at: int) -> str | None:
    """The blanks before a place when nothing else stands before it on its line."""
    before = text[line_start(text, at) : at]
    return None if before.strip(" \t") else before


def margin_of(text: str, at: int) -> str:
    """The indentation of the line of a place."""
    line = text[line_start(text, at) : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def line_cut(text: str, start: int, end: int) -> TextSplice:
    """Takes a stretch out; with its line when nothing else stands there, else a comment takes its place."""
    rest = _BLANK_END.match(text, end)
    margin = own_margin(text, start)
    if margin is None:
        return TextSplice(len(text[:start].rstrip(" \t")) if rest else start, end, "")
    if not rest:
        return TextSplice(start, end + len(text[end:]) - len(text[end:].lstrip(" \t")), "")
    first = start - len(margin)
    if rest.group(1) or not first:
        return TextSplice(first, rest.end(), "")
    return TextSplice(first - (2 if text[:first].endswith("\r\n") else 1), rest.end(), "")


def child(box: Node, path: Path) -> tuple[FlowItem, int] | None:
    """The item that a path leads to, and how many parts of the path its key uses up."""
    items = box.items
    if items is None:
        raise unclear(path, "what stands there is neither a mapping nor a list")
    if box.mapping:
        if not isinstance(path[0], str):
            raise unclear(path, f"{path[0]} is a place in a list, and there is a mapping")
        found = [item for item in items if item.key == path[: len(item.key)]]
        if len(found) > 1:
            raise unclear(path, f"{path[0]!r} stands there twice")
        return (found[0], len(found[0].key)) if found else None
    if path == ("-",):
        return None
    if isinstance(path[0], int) and 0 <= path[0] < len(items):
        return items[path[0]], 1
    raise unclear(path, f"a list of {len(items)} stands there, without a place {path[0]!r}")


def set_in(text: str, root: Node, start: int, path: Path, value: object, style: Style) -> TextSplice:
    """Sets a value inside brackets; `start` is where the line's own content begins (a key before the bracket)."""
    box, rest = root, path
    while True:
        found = child(box, rest)
        if found is None:
            key = rest[0] if box.mapping else None
            return _added(text, box, start, (key, nested(rest[1:], value)), style)
        item, used = found
        rest, start = rest[used:], item.start
        if not rest:
            return replaced(text, item.value, start, value, style)
        box = item.value


def replaced(text: str, old: Node, start: int, value: object, style: Style) -> TextSplice:
    """Puts another value in the place of one."""
    margin = own_margin(text, start)
    on_one_line = old.items and not _BREAK.search(text, old.start, old.end)
    layout = None
    if margin is not None and not on_one_line and style.expands:
        layout = Layout(newline_of(text), margin, step_of(text))
    return TextSplice(old.start, old.end, style.write(None, value, None, layout))


def _added(text: str, box: Node, start: int, member: tuple[Any, object], style: Style) -> TextSplice:
    """Puts a member or an element behind the last one."""
    if not box.items:
        return _filled(text, box, start, member, style)
    key, value = member
    last = box.items[-1]
    after = last.value.end if last.comma is None else last.comma + 1
    beside = style.beside.match(text, after)
    assert beside  # it matches nothing, too
    tail = beside.group() if beside.group("line") else beside.group().rstrip(" \t")
    margin = own_margin(text, last.start)
    if margin is None and not beside.group("line"):
        gap = text[(box.items[-2].comma or 0) + 1 : last.start] if len(box.items) > 1 else "\n"
        if gap.strip(" \t"):
            gap = "" if last.joint == ":" and not tail else " "
        new = tail + gap + style.write(key, value, last, None)
    else:
        outer = margin_of(text, box.start)
        margin = outer + step_of(text) if margin is None else margin
        step = margin[len(outer) :] if margin.startswith(outer) else ""
        layout = Layout(newline_of(text), margin, step or step_of(text))
        new = tail + layout.newline + margin + style.write(key, value, last, layout if style.expands else None)
    new = "," + new if last.comma is None else new + ","
    return TextSplice(after, after + len(tail), new)


def _filled(text: str, box: Node, start: int, member: tuple[Any, object], style: Style) -> TextSplice:
    """Puts the first member or element into empty brackets, behind any comment in them."""
    key, value = member
    inside = text[box.start + 1 : box.end - 1]
    broken = _BREAK.search(inside) is not None
    margin = own_margin(text, start)
    outer = margin_of(text, start) if margin is None else margin
    kept = inside.rstrip()
    if kept and broken:
        kept = inside[: line_end(inside, len(kept))]
    blank = inside[len(kept) :]
    first = box.start + 1 + len(kept)
    if not broken and (margin is None or not style.expands or kept):
        lead = " " if kept else blank
        return TextSplice(
            first, first + (0 if kept else len(blank)), f"{lead}{style.write(key, value, None, None)}{blank}"
        )
    layout = Layout(newline_of(text), outer + step_of(text), step_of(text))
    new = layout.newline + layout.margin + style.write(key, value, None, layout if style.expands else None)
    if kept and _BREAK.search(blank):
        return TextSplice(first, first, new)
    return TextSplice(first, box.end - 1, new + layout.newline + outer)


def cut_from(text: str, root: Node, path: Path, style: Style) -> TextSplice:
    """Takes a member or an element out, with the one comma that is then too many."""
    box, rest = root, path
    while True:
        found = child(box, rest)
        if found is None:
            raise unclear(path, "there is nothing to remove")
        item, used = found
        rest = rest[used:]
        if not rest:
            return _cut(text, box, item, style)
        box = item.value


def _cut(text: str, box: Node, item: FlowItem, style: Style) -> TextSplice:
    items = box.items or []
    at = next(place for place, other in enumerate(items) if other is item)
    if len(items) == 1 and not (text[box.start + 1 : item.start] + _behind(text, box, item)).strip():
        return TextSplice(box.start + 1, box.end - 1, "")
    if item.comma is not None:
        return _cut_with_comma(text, items, at)
    if at == 0:
        return line_cut(text, item.start, item.value.end)
    comma = items[at - 1].comma
    assert comma is not None  # a parser that saw another item saw its comma
    between = text[comma + 1 : item.start]
    kept = between.rstrip()
    if not kept or not style.trivia.fullmatch(between):
        return TextSplice(comma, item.value.end, "")
    ends_line = _BLANK_END.match(text, item.value.end)
    return TextSplice(comma, item.value.end, between[: line_end(between, len(kept))] if ends_line else between)


def _cut_with_comma(text: str, items: list[FlowItem], at: int) -> TextSplice:
    item = items[at]
    assert item.comma is not None
    between = text[item.value.end : item.comma].strip()
    if between:
        return TextSplice(item.start, item.comma + 1, between)
    if own_margin(text, item.start) is None and at + 1 < len(items):
        gap = text[item.comma + 1 : items[at + 1].start]
        if not gap.strip(" \t"):
            return TextSplice(item.start, items[at + 1].start, "")
        if not gap.strip():
            return TextSplice(item.start, item.comma + 1, "")
    return line_cut(text, item.start, item.comma + 1)


def _behind(text: str, box: Node, item: FlowItem) -> str:
    """What stands behind the last item, without its comma."""
    if item.comma is None:
        return text[item.value.end : box.end - 1]
    return text[item.value.end : item.comma] + text[item.comma + 1 : box.end - 1]
