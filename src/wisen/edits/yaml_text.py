"""Edits YAML text by one splice: the parser's marks give the positions of values.

Anchors, tags and merged mappings are not understood here: what an edit does to them shows when the new text is parsed.
"""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wisen.edits.flow_text import (
    FlowItem,
    Node,
    TextSplice,
    child,
    cut_from,
    line_cut,
    line_end,
    nested,
    newline_of,
    own_margin,
    set_in,
    unclear,
)
from wisen.errors import SettingsUnclear

if TYPE_CHECKING:
    from ruamel.yaml import YAML

    from wisen.edits.flow_text import Layout, Path

_TRIVIA = re.compile(r"(?:[ \t\r\n]|(?:(?<=[\s,\[\]{}])|(?<!.))#[^\r\n]*)*")
_ALIAS = re.compile(r"\s*\*[^\s,\[\]{}]+")
_COLON = re.compile(r"[ \t]*:")
_BESIDE = re.compile(r"[ \t]*(?P<line>(?<=[\s,\[{])#[^\r\n]*)?")
_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*")
_WORDS = frozenset("true false null yes no on off y n".split())
_UNPRINTED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_STEP = re.compile(
    r"^( *)[^\s#-][^\r\n]*:[ \t]*(?:#[^\r\n]*)?\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*\1( +)[^\s#]", re.MULTILINE
)
_FLAT = re.compile(r"^( *)[^\s#-][^\r\n]*:[ \t]*\r?\n\1- ", re.MULTILINE)


@dataclass(slots=True)
class YamlNode(Node):
    """A node of YAML; `flow` when it stands in brackets."""

    flow: bool = False
    empty: bool = False
    """A value that is not written at all."""


@dataclass(slots=True)
class YamlItem(FlowItem):
    """An item of YAML; `after` is where its colon or dash ends."""

    after: int = 0


def data(text: str) -> Any:
    """The data of a text by YAML 1.2."""
    return _loaded(text, None)


def old_data(text: str) -> Any:
    """The data of a text by YAML 1.1, as PyYAML and with it many agents read it."""
    return _loaded(text, (1, 1))


def with_value(text: str, path: Path, value: object) -> TextSplice:
    """The change that sets a value."""
    root = scanned(text)
    if root is None or root.empty:
        line = newline_of(text)
        lead = line if text and not text.endswith("\n") else ""
        block = line.join(_lines(nested(path, value), _Look(text)))
        return TextSplice(len(text), len(text), lead + block + ("" if lead else line))
    box, rest, entry = root, path, None
    while not box.flow:
        found = child(box, rest)
        if found is None:
            return _added(text, box, rest, value)
        entry, rest = found[0], rest[found[1] :]
        assert isinstance(entry, YamlItem)  # the scanner makes no other
        if not rest:
            return _replaced(text, entry, value)
        assert isinstance(entry.value, YamlNode)  # the scanner makes no other
        box = entry.value
        if box.flow and not box.items and not _comment_in(text, box):
            inside = {rest[0]: nested(rest[1:], value)} if box.mapping else [value]
            return _replaced(text, entry, inside)
    start = entry.start if entry else box.start
    return set_in(text, box, start, rest, value, YamlStyle())


def without_value(text: str, path: Path) -> TextSplice:
    """The change that removes a value."""
    box, rest, outer = scanned(text), path, None
    while box is not None and not box.flow:
        found = child(box, rest)
        if found is None:
            break
        entry, rest = found[0], rest[found[1] :]
        assert isinstance(entry, YamlItem)  # the scanner makes no other
        assert isinstance(entry.value, YamlNode)  # the scanner makes no other
        if not rest:
            return _cut(text, box, entry, outer)
        box, outer = entry.value, entry
    if box is None or not box.flow:
        raise unclear(path, "there is nothing to remove")
    return cut_from(text, box, rest, YamlStyle())


def _cut(text: str, box: YamlNode, entry: YamlItem, outer: YamlItem | None) -> TextSplice:
    items = box.items or []
    if len(items) == 1 and (outer or not box.mapping):
        if outer is None:
            return TextSplice(box.start, box.end, "[]")
        return _replaced(text, outer, {} if box.mapping else [])
    at = next(place for place, other in enumerate(items) if other is entry)
    if own_margin(text, entry.start) is None and at + 1 < len(items):
        follower = items[at + 1].start
        if "#" in text[entry.value.end : follower]:
            raise unclear(entry.key, "a comment stands between it and the next")
        return TextSplice(entry.start, follower, "")
    return line_cut(text, entry.start, entry.value.end)


def _added(text: str, box: YamlNode, path: Path, value: object) -> TextSplice:
    """Puts an entry behind the last one of a block."""
    items = box.items
    if not items:
        raise unclear(path, "what stands there is neither a mapping nor a list")
    start = items[0].start
    column = start - max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) - 1
    inside = {path[0]: nested(path[1:], value)} if box.mapping else [value]
    end = line_end(text, box.end)
    lead = newline_of(text) + " " * column
    return TextSplice(end, end, "".join(lead + line for line in _lines(inside, _Look(text))))


def _replaced(text: str, entry: YamlItem, value: object) -> TextSplice:
    """Puts another value in the place of one; a comment beside the key or the value stays on that line."""
    look = _Look(text)
    old = entry.value
    beside_key = _BESIDE.match(text, entry.after)
    assert beside_key  # it matches nothing, too
    comment = beside_key.group() if beside_key.group("line") and beside_key.end() <= old.end else ""
    if not isinstance(value, dict | list) or not value:
        return TextSplice(entry.after, old.end, f" {look.scalar(value)}{comment}")
    end = old.end
    if not comment and (beside := _BESIDE.match(text, end)) and beside.group("line"):
        comment, end = beside.group(), beside.end()
    margin = own_margin(text, entry.start)
    if margin is None:
        before = text[max(text.rfind("\n", 0, entry.start), text.rfind("\r", 0, entry.start)) + 1 : entry.start]
        if before.strip(" -"):
            raise unclear(entry.key, "its line holds more than it")
        margin = " " * len(before)
    inner = margin + ("" if isinstance(value, list) and entry.key and look.flat else look.step)
    lines = _lines(value, look)
    if not entry.key:
        inner = margin + "  "
        if not comment:
            return TextSplice(entry.after, end, " " + (look.newline + inner).join(lines))
    return TextSplice(entry.after, end, comment + "".join(look.newline + inner + line for line in lines))


def _comment_in(text: str, box: Node) -> bool:
    return bool(text[box.start + 1 : box.end - 1].strip())


class _Look:
    """How a text is laid out, and how values are written in it."""

    def __init__(self, text: str) -> None:
        self.newline = newline_of(text)
        found = _STEP.search(text)
        self.step = found.group(2) if found else "  "
        self.flat = _FLAT.search(text) is not None

    @staticmethod
    def scalar(value: object) -> str:
        """A value on one line; in quotes whenever one of YAML's versions could take it for something else."""
        if isinstance(value, dict):
            inside = ", ".join(f"{_key(key)}: {_Look.scalar(inner)}" for key, inner in value.items())
            return f"{{{inside}}}"
        if isinstance(value, list):
            return "[" + ", ".join(map(_Look.scalar, value)) + "]"
        if isinstance(value, str):
            if _SAFE.fullmatch(value) and value.lower() not in _WORDS:
                return value
            quoted = json.dumps(value, ensure_ascii=False)
            return _UNPRINTED.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
        if isinstance(value, float):
            return _float(value)
        if value is None or isinstance(value, bool | int):
            return json.dumps(value)
        raise SettingsUnclear(f"YAML cannot say {value!r}; please give another value")


def _float(value: float) -> str:
    written = repr(value)
    if written in ("inf", "-inf", "nan"):
        return written.replace("inf", ".inf").replace("nan", ".nan")
    mantissa, exponent, power = written.partition("e")
    if not exponent:
        return written
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{power if power[0] in '+-' else '+' + power}"


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise SettingsUnclear(f"a key is text, not {key!r}; please give another value")
    return _Look.scalar(key)


def _lines(value: object, look: _Look) -> list[str]:
    """A mapping or a list as lines of a block."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, inner in value.items():
            if isinstance(inner, dict | list) and inner:
                indent = "" if isinstance(inner, list) and look.flat else look.step
                lines += [f"{_key(key)}:", *(indent + line for line in _lines(inner, look))]
            else:
                lines.append(f"{_key(key)}: {look.scalar(inner)}")
    elif isinstance(value, list):
        for inner in value:
            under = _lines(inner, look) if isinstance(inner, dict | list) and inner else [look.scalar(inner)]
            lines += [f"- {under[0]}", *("  " + line for line in under[1:])]
    return lines


class YamlStyle:
    """How YAML is written in brackets: on one line."""

    beside = _BESIDE
    trivia = _TRIVIA
    expands = False

    def write(self, key: str | None, value: object, like: FlowItem | None, layout: Layout | None) -> str:
        """A member, or an element when there is no key."""
        return _Look.scalar(value) if key is None else f"{_key(key)}: {_Look.scalar(value)}"


def _yaml(version: tuple[int, int] | None) -> YAML:
    from ruamel.yaml import YAML

    reader = YAML(typ="safe", pure=True)
    if version:
        reader.version = version
    return reader


def _read(text: str, version: tuple[int, int] | None, *, whole: bool) -> Any:
    from ruamel.yaml.error import YAMLError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = _yaml(version)
            return reader.load(text) if whole else reader.compose(text)
    except (YAMLError, ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SettingsUnclear(f"this YAML cannot be read ({why}); please fix the file, then try again") from error


def _loaded(text: str, version: tuple[int, int] | None) -> Any:
    found = _read(text, version, whole=True)
    return {} if found is None else found


def scanned(text: str) -> YamlNode | None:
    """The root of a text; None when it is empty but for comments."""
    root = _read(text, None, whole=False)
    return None if root is None else _node(text, root, root.start_mark.index)


def _node(text: str, node: Any, before: int) -> YamlNode:
    """A node with the place where its content ends; `before` is that of a value that is not written."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    start, end = node.start_mark.index, node.end_mark.index
    if start < before:  # an alias has the marks of what it stands for
        alias = _ALIAS.match(text, before)
        return YamlNode(before, alias.end() if alias else before)
    if isinstance(node, MappingNode):
        items = _members(text, node)
    elif isinstance(node, SequenceNode):
        items = _elements(text, node)
    else:
        if start == end:
            return YamlNode(before, before, empty=True)
        return YamlNode(start, start + len(text[start:end].rstrip(" \t\r\n")))
    flow = bool(node.flow_style)
    if flow:
        _commas(text, items)
    elif items:
        end = items[-1].value.end
    return YamlNode(start, end, items, mapping=isinstance(node, MappingNode), flow=flow)


def _members(text: str, node: Any) -> list[FlowItem]:
    items: list[FlowItem] = []
    for key, value in node.value:
        colon = _COLON.match(text, key.end_mark.index)
        if not colon and not node.flow_style:
            raise SettingsUnclear("a key of this YAML is written in a rare way; please change the file by hand")
        after = colon.end() if colon else key.end_mark.index
        is_text = key.tag == "tag:yaml.org,2002:str"
        name = (key.value,) if is_text else ("\0", str(key.value))
        items.append(YamlItem(key.start_mark.index, _node(text, value, after), name, after=after))
    return items


def _elements(text: str, node: Any) -> list[FlowItem]:
    items: list[FlowItem] = []
    at = node.start_mark.index
    for value in node.value:
        if node.flow_style:
            at = _skip(text, at + 1)  # behind the bracket or the comma
            start = value.start_mark.index
            items.append(YamlItem(max(start, at), _node(text, value, at)))
            at = _skip(text, items[-1].value.end)
            continue
        at = _skip(text, at)
        if text[at : at + 1] != "-":
            raise SettingsUnclear("a list of this YAML is written in a rare way; please change the file by hand")
        items.append(YamlItem(at, _node(text, value, at + 1), after=at + 1))
        at = items[-1].value.end
    return items


def _commas(text: str, items: list[FlowItem]) -> None:
    for item in items:
        at = _skip(text, item.value.end)
        if text[at : at + 1] == ",":
            item.comma = at


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at
