"""Sets or removes one value in the text of a settings file, and verifies that nothing else changes.

The new text is parsed: it must have exactly the data of the old one except for that value. What cannot be verified
raises `SettingsUnclear`. This works on text only and reads or writes no files.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from wisen.edits.flow_text import nested, unclear
from wisen.errors import SettingsUnclear

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.edits.flow_text import Path, TextSplice

Json: TypeAlias = "bool | int | float | str | list[Any] | dict[str, Any] | None"
Format = Literal["json", "json5", "toml", "yaml"]
"""JSON with comments is parsed as JSON5."""

_BOM = "\ufeff"
_ABSENT = object()


def with_value(text: str, format: Format, path: Path, value: Json) -> str:
    """Set a value at a path; missing parents are created, `-` at the end appends to a list.

    Raises:
        SettingsUnclear: the text cannot be parsed, the path leads nowhere, or the change cannot be verified.
    """
    return _change_value(text, format, path, value)


def without_value(text: str, format: Format, path: Path) -> str:
    """Remove the value at a path; its parents stay, even if empty.

    Raises:
        SettingsUnclear: the text cannot be parsed, nothing is there, or the change cannot be verified.
    """
    return _change_value(text, format, path, _ABSENT)


def parse_settings(text: str, format: Format) -> Json:
    """Parse a text; an empty one is an empty mapping. Dates become text, keys that are not text stay as they are.

    Raises:
        SettingsUnclear: the text cannot be parsed.
    """
    try:
        data: Json = _to_plain(_readers(format)[0](text.removeprefix(_BOM)), {})
    except RecursionError:
        raise SettingsUnclear("this file is nested too deeply; please change it by hand") from None
    return data


def has_same_data(one: str, other: str, format: Format) -> bool:
    """Whether two texts have the same data and types. Raises: SettingsUnclear if one cannot be parsed."""
    one, other = one.removeprefix(_BOM), other.removeprefix(_BOM)
    return all(is_same(read(one), read(other)) for read in _readers(format))


def _change_value(text: str, format: Format, path: Path, value: Any) -> str:
    if not path:
        raise unclear(path, "a path is needed")
    bom = _BOM if text.startswith(_BOM) else ""
    body = text.removeprefix(_BOM)
    try:
        readers = _readers(format)
        before = [read(body) for read in readers]
        expected = [expected_data(data, path, value, path) for data in before]
        splice = _splice(body, format, path, value)
        splice.text.encode()
        changed = splice.on(body)
        after = _read_back(changed, readers, path)
        is_verified = 0 <= splice.start <= splice.end <= len(body) and all(
            is_same(new, want) for new, want in zip(after, expected, strict=True)
        )
    except RecursionError:
        raise unclear(path, "the file is nested too deeply") from None
    except UnicodeEncodeError:
        raise unclear(path, "it contains half of a surrogate pair") from None
    if not is_verified:
        raise unclear(path, "the change would alter more than this value")
    return bom + changed


def _read_back(text: str, readers: list[Callable[[str], Any]], path: Path) -> list[Any]:
    try:
        return [read(text) for read in readers]
    except SettingsUnclear:
        raise unclear(path, "the file is written in a way that cannot be edited safely") from None


def _readers(format: Format) -> list[Callable[[str], Any]]:
    """Return the parsers of a format; YAML has both of its versions, since agents differ in which they follow."""
    if format == "toml":
        from wisen.edits import toml_text

        return [toml_text.data]
    if format == "yaml":
        from wisen.edits import yaml_text

        return [yaml_text.data, yaml_text.old_data]
    from wisen.edits import json_text

    return [json_text.parse_json if format == "json" else json_text.parse_json5]


def _splice(text: str, format: Format, path: Path, value: Any) -> TextSplice:
    if format == "toml":
        from wisen.edits.toml_text import with_value, without_value
    else:  # the only YAML that is edited is wisen's own plugin.yaml, which is written as JSON: that is YAML, too
        from wisen.edits.json_text import with_value, without_value
    try:
        return without_value(text, path) if value is _ABSENT else with_value(text, path, value)
    except SettingsUnclear:
        if format != "yaml":
            raise
        raise unclear(path, "only YAML that is written as JSON can be edited") from None


def expected_data(data: Any, path: Path, value: Any, whole: Path) -> Any:
    """Return the data with the value set or removed; only what is on the path is copied."""
    part, rest = path[0], path[1:]
    if isinstance(data, dict):
        if not isinstance(part, str):
            raise unclear(whole, f"{part} is a list index, but there is a mapping")
        copy = dict(data)
        if rest and part in data:
            copy[part] = expected_data(data[part], rest, value, whole)
        elif value is not _ABSENT:
            copy[part] = nested(rest, value)
        elif part in data:
            del copy[part]
        else:
            raise unclear(whole, "there is nothing to remove")
        return copy
    if not isinstance(data, list):
        raise unclear(whole, "what is there is neither a mapping nor a list")
    if part == "-" and not rest and value is not _ABSENT:
        return [*data, value]
    if not isinstance(part, int) or not 0 <= part < len(data):
        raise unclear(whole, f"a list of {len(data)} is there, without an index {part!r}")
    middle = [expected_data(data[part], rest, value, whole)] if rest else [] if value is _ABSENT else [value]
    return [*data[:part], *middle, *data[part + 1 :]]


def is_same(one: Any, other: Any) -> bool:
    """Whether two values are equal including types: 1, 1.0 and true differ. Shared parts are compared once."""
    seen: set[tuple[int, int]] = set()
    open_pairs = [(one, other)]
    while open_pairs:
        left, right = open_pairs.pop()
        if type(left) is not type(right):
            return False
        if isinstance(left, dict | list):
            if (id(left), id(right)) in seen:
                continue
            seen.add((id(left), id(right)))
            if len(left) != len(right):
                return False
            keys: Iterable[Any] = left if isinstance(left, dict) else range(len(left))
            for key in keys:
                if isinstance(left, dict) and key not in right:
                    return False
                open_pairs.append((left[key], right[key]))
        elif repr(left) != repr(right):
            return False
    return True


def _to_plain(data: Any, seen: dict[int, Any]) -> Any:
    """Convert dates to text; what YAML shares stays shared, or a small file could fill the memory."""
    if not isinstance(data, dict | list):
        return data.isoformat() if isinstance(data, datetime.date | datetime.time) else data
    if id(data) not in seen:
        if isinstance(data, dict):
            seen[id(data)] = {key: _to_plain(value, seen) for key, value in data.items()}
        else:
            seen[id(data)] = [_to_plain(value, seen) for value in data]
    return seen[id(data)]
