"""Sets or removes one value in a TOML text, by lines; comments and layout stay.

Only wisen's own config.toml is edited, so it knows `[table]` headers and `key = value` on one line. What is written
in another way, it does not find or gets wrong; `settings_text.py` parses the result and refuses what is not proven.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from wisen.edits.flow_text import TextSplice, line_cut, newline_of, unclear
from wisen.errors import SettingsUnclear
from wisen.safety.foreign_settings import parse_toml

if TYPE_CHECKING:
    from wisen.edits.flow_text import Path

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_CONTENT = re.compile(r"^[ \t]*[^\s#][^\r\n]*", re.MULTILINE)
_VALUE = r'"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\'|\[[^\]\r\n#]*\]|[^\s#"\'\[{][^\r\n#]*?(?=[ \t]*(?:#|\r?$))'
_BIGGEST = 2**63


def data(text: str) -> Any:
    """Return the data of a text."""
    try:
        return parse_toml(text)
    except ValueError as error:
        raise SettingsUnclear(f"this is not TOML ({error}); please fix the file, then try again") from error


def with_value(text: str, path: Path, value: object) -> TextSplice:
    """Return the change that sets a value."""
    written, (start, end) = _literal(path, value), _table(text, path)
    if start < 0:
        return _add_table(text, path, written)
    if (found := _line(text, path, start, end)) is not None:
        return TextSplice(*found.span("value"), written)
    lines = [*_CONTENT.finditer(text, start, end)]
    newline, last = newline_of(text), lines[-1].end() if lines else start
    at_top = last == start and start == 0
    line = f"{_key(path[-1])} = {written}"
    return TextSplice(last, last, f"{line}{newline}" if at_top else f"{newline}{line}")


def without_value(text: str, path: Path) -> TextSplice:
    """Return the change that removes a value; a comment behind it stays."""
    found = _line(text, path, *_table(text, path))
    if found is not None:
        return line_cut(text, found.start("key"), found.end("value"))
    header = _header(text, path)
    start, end = _table(text, (*path, ""))
    if header is None or _CONTENT.search(text, start, end) is not None:
        raise unclear(path, "it is neither `key = value` on one line nor an empty table")
    return line_cut(text, header.start("header"), header.end("header"))


def _table(text: str, path: Path) -> tuple[int, int]:
    """Return where the lines of a table begin and end; -1 where there is no such table."""
    start = 0
    if len(path) > 1:
        header = _header(text, path[:-1])
        start = -1 if header is None else header.end()
    following = _HEADER.search(text, max(start, 0))
    return start, len(text) if following is None else following.start()


def _header(text: str, path: Path) -> re.Match[str] | None:
    name = r"[ \t]*\.[ \t]*".join(re.escape(_key(part)) for part in path)
    return re.search(rf"^[ \t]*(?P<header>\[[ \t]*{name}[ \t]*\])[^\r\n]*", text, re.MULTILINE)


def _line(text: str, path: Path, start: int, end: int) -> re.Match[str] | None:
    """Return the key and the value of a path where they stand on one line."""
    pattern = rf"^[ \t]*(?P<key>{re.escape(_key(path[-1]))})[ \t]*=[ \t]*(?P<value>{_VALUE})"
    return re.compile(pattern, re.MULTILINE).search(text, start, end) if start >= 0 else None


def _add_table(text: str, path: Path, written: str) -> TextSplice:
    newline = newline_of(text)
    ended = text.endswith(("\n", "\r")) or not text
    header = f"[{'.'.join(map(_key, path[:-1]))}]"
    lead = ("" if ended else newline) + (newline if text.strip() else "")
    return TextSplice(
        len(text), len(text), f"{lead}{header}{newline}{_key(path[-1])} = {written}{newline if ended else ''}"
    )


def _key(part: str | int) -> str:
    if not isinstance(part, str):
        raise unclear((part,), "only tables can be edited here, not arrays")
    return part if _BARE.fullmatch(part) else _literal((part,), part)


def _literal(path: Path, value: object) -> str:
    """Write a scalar or a list of scalars."""
    if isinstance(value, list):
        return f"[{', '.join(_literal(path, each) for each in value)}]"
    if value is None or isinstance(value, dict) or (isinstance(value, int) and not -_BIGGEST <= value < _BIGGEST):
        raise unclear(path, f"TOML cannot hold {value!r} on one line")
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
