"""Edits TOML text by one splice: finds the positions of headers and key lines; `tomllib` parses the data."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wisen.edits.flow_text import (
    FlowItem,
    Node,
    TextSplice,
    cut_from,
    line_cut,
    line_end,
    line_start,
    margin_of,
    nested,
    newline_of,
    replaced,
    set_in,
    unclear,
)
from wisen.errors import SettingsUnclear

if TYPE_CHECKING:
    from wisen.edits.flow_text import Layout, Path

_TRIVIA = re.compile(r"(?:[ \t\r\n]|#[^\r\n]*)*")
_BLANKS = re.compile(r"[ \t]*")
_STRING = re.compile(
    r'(?s:"""(?:\\.|[^\\])*?"""(?:""|"(?!"))?|\'\'\'.*?\'\'\'(?:\'\'|\'(?!\'))?)'
    r'|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\''
)
_KEY = re.compile(r'[A-Za-z0-9_-]+|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'')
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"\d{4}-\d\d-\d\d \d\d:[^\s,\]}#]+|[^\s,\]}#]+")
_BIGGEST = 2**63


@dataclass(frozen=True, slots=True)
class TomlLine:
    """A header or a key with its value; `address` is the whole path, with places in arrays of tables."""

    start: int
    end: int
    address: Path
    value: Node | None = None
    """None for a header."""
    local: tuple[str, ...] = ()
    """The key as it stands there."""


def data(text: str) -> Any:
    """The data of a text."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsUnclear(f"this is not TOML ({error}); please fix the file, then try again") from error


def with_value(text: str, path: Path, value: object) -> TextSplice:
    """The change that sets a value."""
    lines = scanned(text)
    for line in lines:
        if line.value and line.address == path[: len(line.address)]:
            rest = path[len(line.address) :]
            if rest:
                return set_in(text, line.value, line.start, rest, value, TomlStyle())
            return replaced(text, line.value, line.start, value, TomlStyle())
    if any(line.address[: len(path)] == path for line in lines):
        return _table_replaced(text, lines, path, value)
    known = {line.address[:size] for line in lines for size in range(len(line.address) + 1)} | {()}
    depth = max(size for size in range(len(path)) if path[:size] in known)
    table, rest = path[:depth], path[depth:]
    if rest == ("-",) and (*table, 0) in known:
        return _section_added(text, lines, table, _sections(_names(table), [value]))
    if not isinstance(rest[0], str):
        raise unclear(path, f"there is no place {rest[0]}")
    return _member_added(text, lines, table, (rest[0], nested(rest[1:], value)))


def without_value(text: str, path: Path) -> TextSplice:
    """The change that removes a value."""
    lines = scanned(text)
    for line in lines:
        if line.value and line.address == path[: len(line.address)]:
            rest = path[len(line.address) :]
            if rest:
                return cut_from(text, line.value, rest, TomlStyle())
            break
    inside = _stretch(lines, path)
    parent = path[:-1]
    lonely = not any(line.address[: len(parent)] == parent for line in lines if line not in inside)
    first = inside[0]
    if parent and lonely and first.value is not None:
        return TextSplice(first.start, inside[-1].end, f"{_dotted(first.local[: len(parent) - len(path)])} = {{}}")
    if parent and lonely:
        return TextSplice(first.start, inside[-1].end, f"[{_dotted(_names(parent))}]")
    cut = line_cut(text, first.start, inside[-1].end)
    before = text[: cut.start]
    if first.value is None and re.search(r"(?:\A|\n)[ \t]*\r?\n\Z", before):
        behind = text[cut.end : line_end(text, cut.end)]
        if not behind.strip():
            return TextSplice(line_start(text, cut.start - (2 if before.endswith("\r\n") else 1)), cut.end, "")
    return cut


def _table_replaced(text: str, lines: list[TomlLine], path: Path, value: object) -> TextSplice:
    """Puts a table in the place of one."""
    inside = _stretch(lines, path)
    first = inside[0]
    local = first.local[: len(first.local) - len(first.address) + len(path)]
    if local:
        return TextSplice(first.start, inside[-1].end, f"{_dotted(local)} = {_inline(value)}")
    if first.value is not None or not isinstance(value, dict):
        raise unclear(path, "a table stands there, and only another table can take its place")
    in_array = isinstance(path[-1], int)
    sections = _sections(_names(path), [value] if in_array else value)
    return TextSplice(first.start, inside[-1].end, _joined(sections, newline_of(text)))


def _stretch(lines: list[TomlLine], path: Path) -> list[TomlLine]:
    """The lines that make up a table; they must follow each other."""
    at = [place for place, line in enumerate(lines) if line.address[: len(path)] == path]
    if not at:
        raise unclear(path, "there is nothing to remove")
    if at[-1] - at[0] + 1 != len(at):
        raise unclear(path, "it is spread over several places of the file")
    return [lines[place] for place in at]


def _member_added(text: str, lines: list[TomlLine], table: Path, member: tuple[str, object]) -> TextSplice:
    key, value = member
    as_tables = isinstance(value, dict) or (
        isinstance(value, list) and value and all(isinstance(v, dict) for v in value)
    )
    if as_tables:
        return _section_added(text, lines, table, _sections((*_names(table), key), value))
    line = newline_of(text)
    new = f"{_key(key)} = {_inline(value)}"
    own = [at for at, one in enumerate(lines) if one.value is None and one.address == table]
    first_header = next((at for at, one in enumerate(lines) if one.value is None), len(lines))
    if not table:
        section = lines[:first_header]
    elif own:
        behind = (at for at in range(own[-1] + 1, len(lines)) if lines[at].value is None)
        section = lines[own[-1] : next(behind, len(lines))]
    else:
        section = [one for one in lines if one.value and one.address[: len(table)] == table]
        if not section:
            return _section_added(text, lines, table, [(_names(table), False, {key: value})])
        shared = len(section[-1].address) - len(table)
        head = section[-1].local[: len(section[-1].local) - shared]
        if not head:
            return _section_added(text, lines, table, [(_names(table), False, {key: value})])
        new = f"{_dotted(head)}.{new}"
    if section:
        end = line_end(text, section[-1].end)
        return TextSplice(end, end, line + margin_of(text, section[-1].start) + new)
    if first_header == len(lines):
        return _at_the_end(text, new)
    at = _above(text, lines[first_header].start)
    return TextSplice(at, at, new + line + line)


def _above(text: str, at: int) -> int:
    """Where the comments right above a header begin."""
    start = line_start(text, at)
    while start:
        before = line_start(text, start - (2 if text[:start].endswith("\r\n") else 1))
        if not text[before:start].lstrip(" \t").startswith("#"):
            break
        start = before
    return start


Section = tuple[tuple[str, ...], bool, dict[str, Any]]
"""The header, whether it stands in double brackets, and the plain members."""


def _sections(header: tuple[str, ...], value: object) -> list[Section]:
    """A table, or an array of them, as sections of a file."""
    if isinstance(value, list):
        found: list[Section] = []
        for element in value:
            own = _sections(header, element)
            plain = own.pop(0)[2] if own and own[0][0] == header else {}
            found += [(header, True, plain), *own]
        return found
    if not isinstance(value, dict):
        raise SettingsUnclear("this list holds tables, and the new element is none; please give a table")
    tables = {key: inner for key, inner in value.items() if isinstance(inner, dict)}
    plain = {key: inner for key, inner in value.items() if key not in tables}
    found = [(header, False, plain)] if plain or not tables else []
    for key, inner in tables.items():
        found += _sections((*header, key), inner)
    return found


def _joined(sections: list[Section], line: str) -> str:
    blocks = []
    for header, double, members in sections:
        head = f"[[{_dotted(header)}]]" if double else f"[{_dotted(header)}]"
        blocks.append(line.join([head, *(f"{_key(key)} = {_inline(value)}" for key, value in members.items())]))
    return (line + line).join(blocks)


def _section_added(text: str, lines: list[TomlLine], table: Path, sections: list[Section]) -> TextSplice:
    """Puts sections behind the last line of a table."""
    line = newline_of(text)
    block = _joined(sections, line)
    inside = [one for one in lines if one.address[: len(table)] == table]
    if not table or not inside:
        return _at_the_end(text, (line if text.strip() else "") + block)
    # Behind a key the section of that key goes on; a header there would cut it in two.
    place = lines.index(inside[-1])
    while place + 1 < len(lines) and lines[place + 1].value is not None:
        place += 1
    end = line_end(text, lines[place].end)
    return TextSplice(end, end, line + line + block)


def _at_the_end(text: str, block: str) -> TextSplice:
    line = newline_of(text)
    if not text or text.endswith("\n"):
        return TextSplice(len(text), len(text), block + line)
    return TextSplice(len(text), len(text), (line if text.strip() else "") + block)


def _names(path: Path) -> tuple[str, ...]:
    return tuple(part for part in path if isinstance(part, str))


def scanned(text: str) -> list[TomlLine]:
    """Every header and key of a text, in order. The text must be TOML."""
    lines: list[TomlLine] = []
    table: Path = ()
    counts: dict[Path, int] = {}
    at = _skip(text, 0)
    while at < len(text):
        if text[at] == "[":
            double = text.startswith("[[", at)
            names, end, _ = _keys(text, at + (2 if double else 1))
            table = ()
            for place, name in enumerate(names):
                table = (*table, name)
                if double and place == len(names) - 1:
                    counts[table] = counts.get(table, 0) + 1
                if table in counts:
                    table = (*table, counts[table] - 1)
            end = text.index("]", end) + (2 if double else 1)
            lines.append(TomlLine(at, end, table))
        else:
            item = _member(text, at)
            lines.append(TomlLine(at, item.value.end, (*table, *item.key), item.value, item.key))
        at = _skip(text, lines[-1].end)
    return lines


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _keys(text: str, at: int) -> tuple[tuple[str, ...], int, int]:
    """A dotted key; where it ends, and where what follows begins."""
    names: list[str] = []
    while True:
        found = _KEY.match(text, _BLANKS.match(text, at).end())  # type: ignore[union-attr]  # it matches nothing, too
        if not found:
            raise SettingsUnclear("a key of this TOML cannot be read; please change the file by hand")
        name = found.group()
        names.append(tomllib.loads(f"x = {name}")["x"] if name[0] in "\"'" else name)
        after = _BLANKS.match(text, found.end()).end()  # type: ignore[union-attr]  # it matches nothing, too
        if text[after : after + 1] != ".":
            return tuple(names), found.end(), after
        at = after + 1


def _member(text: str, at: int) -> FlowItem:
    names, end, equals = _keys(text, at)
    value = _value(text, _BLANKS.match(text, equals + 1).end())  # type: ignore[union-attr]  # it matches nothing, too
    return FlowItem(at, value, names, text[end : value.start])


def _value(text: str, at: int) -> Node:
    if text[at : at + 1] in ("[", "{"):
        return _box(text, at)
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if not found:
        raise SettingsUnclear("a value of this TOML cannot be read; please change the file by hand")
    return Node(at, found.end())


def _box(text: str, start: int) -> Node:
    items: list[FlowItem] = []
    box = Node(start, start, items, mapping=text[start] == "{")
    at = _skip(text, start + 1)
    while text[at : at + 1] != ("}" if box.mapping else "]"):
        item = _member(text, at) if box.mapping else FlowItem(at, _value(text, at))
        items.append(item)
        at = _skip(text, item.value.end)
        if text[at : at + 1] == ",":
            item.comma = at
            at = _skip(text, at + 1)
    box.end = at + 1
    return box


class TomlStyle:
    """How TOML is written in brackets: on one line."""

    beside = re.compile(r"[ \t]*(?P<line>#[^\r\n]*)?")
    trivia = _TRIVIA
    expands = False

    def write(self, key: str | None, value: object, like: FlowItem | None, layout: Layout | None) -> str:
        """A member, or an element when there is no key."""
        joint = like.joint if like and like.joint else " = "
        return _inline(value) if key is None else f"{_key(key)}{joint}{_inline(value)}"


def _dotted(names: tuple[str, ...]) -> str:
    return ".".join(map(_key, names))


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise SettingsUnclear(f"a key of TOML is text, not {key!r}; please give another value")
    return key if _BARE.fullmatch(key) else _inline(key)


def _inline(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and -_BIGGEST <= value < _BIGGEST:
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if isinstance(value, dict):
        inside = ", ".join(f"{_key(key)} = {_inline(inner)}" for key, inner in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    raise SettingsUnclear(f"TOML cannot say {value!r}; please give another value")
