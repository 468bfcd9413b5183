"""Parses JSON and JSON5 into nodes with positions, and edits the text by one splice.

The parser accepts JSON5 (and so JSON with comments). Whether plain JSON is valid is checked by `json`, not here.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from wisen.edits.flow_text import FlowItem, Node, TextSplice, cut_from, newline_of, set_in
from wisen.errors import SettingsUnclear
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.edits.flow_text import Layout, Path

_LINE = r"//[^\r\n\u2028\u2029]*"
_BLOCK = r"/\*(?:[^*]|\*(?!/))*\*/"
_BLANK = r"[\t\n\v\f\r \u00a0\ufeff\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_TRIVIA = lazy_regex(rf"(?:{_BLANK}|{_LINE}|{_BLOCK})*")
_STRING = lazy_regex(r"""(?s:"(?:\\.|[^"\\\r\n])*"|'(?:\\.|[^'\\\r\n])*')""")
_NAME = lazy_regex(r"(?:[^\W\d]|\$)(?:\w|[$\u200c\u200d])*")
_PLAIN_NAME = lazy_regex(r"[A-Za-z_$][\w$]*", re.ASCII)
_NUMBER = lazy_regex(
    r"([+-]?)(?:(0[xX][0-9a-fA-F]+)|(Infinity|NaN)|((?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?))(?![\w.$])",
    re.ASCII,
)
_ESCAPE = lazy_regex(r"(?s)\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_NOTHING = {"\n", "\r\n", "\r", "\u2028", "\u2029"}
_WORDS = {"true": True, "false": False, "null": None}


def parse_json(text: str) -> Any:
    """Parse a text as plain JSON."""
    if not text.strip():
        return {}
    try:
        return json.loads(text, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        raise SettingsUnclear(f"this is not JSON ({error}); please fix the file, then try again") from error


def parse_json5(text: str) -> Any:
    """Parse a text as JSON5."""
    root = scan(text)
    return {} if root is None else data_of(root)


def with_value(text: str, path: Path, value: object) -> TextSplice:
    """Return the splice that sets a value."""
    root, style = scan(text), JsonStyle()
    if root is not None:
        return set_in(text, root, root.start, path, value, style)
    line = newline_of(text)
    lead = line if text.strip() and not text.endswith(("\n", "\r")) else ""
    at = len(text) if text.strip() else 0
    shell = TextSplice(at, at, f"{lead}{{}}{'' if text.strip() == '' and text else line}")
    braces = shell.on(text)
    inner = scan(braces)
    assert inner is not None  # the braces were written just now
    return TextSplice(
        at, at, _inserted_text(text, set_in(braces, inner, inner.start, path, value, style).on(braces), at)
    )


def without_value(text: str, path: Path) -> TextSplice:
    """Return the splice that removes a value."""
    root = scan(text)
    return cut_from(text, root or Node(0, 0, [], mapping=True), path, JsonStyle())


def _inserted_text(old: str, new: str, at: int) -> str:
    """Return what was inserted at a position."""
    return new[at : at + len(new) - len(old)]


def scan(text: str) -> Node | None:
    """Return the root node of a text; None if it is empty except for comments."""
    at = _skip(text, 0)
    if at == len(text):
        return None
    try:
        node = _scan_value(text, at)
    except RecursionError:
        raise SettingsUnclear("this JSON is nested too deeply; please change the file by hand") from None
    end = _skip(text, node.end)
    if end != len(text):
        raise _syntax_error(text, end)
    return node


def data_of(node: Node) -> Any:
    """Return the data of a node; the last of two equal keys wins, as everywhere."""
    if node.items is None:
        return node.data
    if node.mapping:
        return {item.key[0]: data_of(item.value) for item in node.items}
    return [data_of(item.value) for item in node.items]


def _reject_constant(name: str) -> Any:
    raise ValueError(f"{name} is not allowed")


def _syntax_error(text: str, at: int) -> SettingsUnclear:
    line = len(re.findall(r"\r\n|\n|\r", text[:at])) + 1
    return SettingsUnclear(f"this is not JSON at line {line}; please fix the file, then try again")


def _skip(text: str, at: int) -> int:
    match = _TRIVIA.match(text, at)
    return match.end() if match else at


def _scan_value(text: str, at: int) -> Node:
    if text[at : at + 1] in ("{", "["):
        return _scan_container(text, at)
    if match := _STRING.match(text, at):
        return Node(at, match.end(), data=_unquote(text, at, match.group()[1:-1]))
    if match := _NUMBER.match(text, at):
        return Node(at, match.end(), data=_to_number(text, at, match))
    if (match := _NAME.match(text, at)) and match.group() in _WORDS:
        return Node(at, match.end(), data=_WORDS[match.group()])
    raise _syntax_error(text, at)


def _scan_container(text: str, start: int) -> Node:
    box = Node(start, start, [], mapping=text[start] == "{")
    items: list[FlowItem] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != ("}" if box.mapping else "]"):
        if items and items[-1].comma is None:
            raise _syntax_error(text, at)
        item = _scan_member(text, at) if box.mapping else FlowItem(at, _scan_value(text, at))
        items.append(item)
        at = _skip(text, item.value.end)
        if text[at : at + 1] == ",":
            item.comma = at
            at = _skip(text, at + 1)
    box.items, box.end = items, at + 1
    return box


def _scan_member(text: str, at: int) -> FlowItem:
    if match := _STRING.match(text, at):
        key = _unquote(text, at, match.group()[1:-1])
    elif match := _NAME.match(text, at):
        key = match.group()
    else:
        raise _syntax_error(text, at)
    colon = _skip(text, match.end())
    if text[colon : colon + 1] != ":":
        raise _syntax_error(text, colon)
    value = _scan_value(text, _skip(text, colon + 1))
    return FlowItem(at, value, (key,), text[match.end() : value.start])


def _unquote(text: str, at: int, inside: str) -> str:
    def replace_escape(found: re.Match[str]) -> str:
        four, two, other = found.groups()
        if four or two:
            return chr(int(four or two, 16))
        if other in _NOTHING:
            return ""
        if (other.isdigit() and other != "0") or other in "ux":
            raise _syntax_error(text, at)
        return _ESCAPES.get(other, other)

    result = _ESCAPE.sub(replace_escape, inside)
    if any("\ud800" <= char <= "\udfff" for char in result):
        result = result.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return result


def _to_number(text: str, at: int, match: re.Match[str]) -> int | float:
    sign, hexadecimal, word, usual = match.groups()
    try:
        if hexadecimal:
            number: int | float = int(hexadecimal, 16)
        elif word:
            number = float("inf" if word == "Infinity" else "nan")
        else:
            number = int(usual) if usual.isdigit() else float(usual)
    except ValueError:
        raise _syntax_error(text, at) from None
    return -number if sign == "-" else number


class JsonStyle:
    """How JSON is written: over several lines if the file does so, in double quotes."""

    beside = lazy_regex(rf"(?:[ \t]|/\*(?:[^*\r\n]|\*(?!/))*\*/)*(?P<line>{_LINE})?")
    trivia = _TRIVIA
    expands = True

    def write(self, key: str | None, value: object, like: FlowItem | None, layout: Layout | None) -> str:
        """Write a member, or an element if there is no key."""
        if layout is None:
            text = _dump(value, None)
        else:
            lines = _dump(value, layout.step).split("\n")
            text = (layout.newline + layout.margin).join(lines)
        if key is None:
            return text
        joint = like.joint if like and re.fullmatch(r"[ \t]*:[ \t]*", like.joint) else ": "
        bare = like and like.key and self._is_bare(like) and _PLAIN_NAME.fullmatch(key)
        return (key if bare else _dump(key, None)) + joint + text

    @staticmethod
    def _is_bare(like: FlowItem) -> bool:
        """Whether a key has no quotes: then it is as long as its name."""
        return like.value.start - len(like.joint) - like.start == len(like.key[0])


def _dump(value: object, step: str | None) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, indent=step, allow_nan=False)
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, indent=step, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingsUnclear(f"this value cannot be written as JSON ({error}); please give another") from error
    return text
