"""Values in a user's settings file: set or removed, found again, and restored.

Contents are bytes in UTF-8. What cannot be parsed or verified raises `SettingsUnclear`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from wisen.edits.settings_text import has_same_data, is_same, parse_settings, with_value, without_value
from wisen.errors import SettingsUnclear
from wisen.model.change import ValueEdit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.edits.settings_text import Format, Json

    Keys = tuple[str | int, ...]

_BY_SUFFIX: dict[str, Format] = {
    "json": "json",
    "json5": "json5",
    "jsonc": "json5",
    "toml": "toml",
    "yaml": "yaml",
    "yml": "yaml",
}
_MISSING = object()


def format_of(name: str, content: bytes) -> Format:
    """Return the format of a settings file; JSON with comments or trailing commas is JSON5, whatever its name.

    Raises:
        SettingsUnclear: the name has no known suffix.
    """
    suffix = name.rpartition(".")[2].lower()
    if suffix not in _BY_SUFFIX:
        raise SettingsUnclear(
            f"{name} is not a settings file that can be edited: it must end in {', '.join(_BY_SUFFIX)}"
        )
    if suffix == "json" and content.strip():
        try:
            parse_settings(_text(content), "json")
        except SettingsUnclear:
            return "json5"
    return _BY_SUFFIX[suffix]


def plan_value(content: bytes, format: Format, keys: Keys, value: Json) -> ValueEdit:
    """Plan setting a value; `-` as the last key appends to a list. Raises: SettingsUnclear."""
    data = parse_settings(_text(content), format)
    appended = keys[-1:] == ("-",)
    if appended:
        parent = _lookup(data, keys[:-1])
        if not isinstance(parent, list) and parent is not _MISSING:
            raise SettingsUnclear(f"nothing can be appended to {_show_keys(keys[:-1])}: it is not a list")
        keys = (*keys[:-1], len(parent) if isinstance(parent, list) else 0)
    old = _MISSING if appended else _lookup(data, keys)
    if old is not _MISSING and is_same(old, value):
        raise SettingsUnclear(f"{_show_keys(keys)} has that value already")
    return _check_revertible(
        ValueEdit(
            format=format,
            keys=keys,
            new=_encode(value),
            old="" if old is _MISSING else _encode(old),
            made=_count_missing_parents(data, keys),
            appended=appended,
        ),
        content,
    )


def plan_removal(content: bytes, format: Format, keys: Keys) -> ValueEdit:
    """Plan removing a value. Raises: SettingsUnclear if nothing is there."""
    old = _lookup(parse_settings(_text(content), format), keys)
    if old is _MISSING:
        raise SettingsUnclear(f"there is nothing at {_show_keys(keys)}")
    return _check_revertible(ValueEdit(format=format, keys=keys, new="", old=_encode(old)), content)


def apply(value: ValueEdit, content: bytes) -> bytes:
    """Set or remove the value. Raises: SettingsUnclear."""
    text, format = _text(content), cast("Format", value.format)
    if not value.new:
        return without_value(text, format, value.keys).encode()
    new = _decode(value.new)
    if not value.appended:
        return with_value(text, format, value.keys, new).encode()
    if _lookup(parse_settings(text, format), value.keys[:-1]) is _MISSING:
        return with_value(text, format, value.keys[:-1], [new]).encode()
    return with_value(text, format, (*value.keys[:-1], "-"), new).encode()


def current_text(value: ValueEdit, content: bytes) -> str | None:
    """Return what is in the value's place now, as JSON; None for nothing. Raises: SettingsUnclear."""
    data = parse_settings(_text(content), cast("Format", value.format))
    current = _lookup(data, _current_keys(value, data))
    return None if current is _MISSING else _encode(current)


def revert(value: ValueEdit, content: bytes, earlier: Iterable[ValueEdit]) -> bytes:
    """Restore what was there before; unchanged if something else is there now.

    `earlier`: the other values of ours in that file. A mapping that one of them created is removed if it is left empty.

    Raises:
        SettingsUnclear: the file cannot be parsed, or the change cannot be verified.
    """
    text, format = _text(content), cast("Format", value.format)
    data = parse_settings(text, format)
    keys = _current_keys(value, data)
    current = _lookup(data, keys)
    if (current is _MISSING) != (not value.new) or (value.new and not is_same(current, _decode(value.new))):
        return content
    if value.old:
        if not value.new and _lookup(data, keys[:-1]) is _MISSING:
            return content  # its parent is gone as well
        return with_value(text, format, keys, _decode(value.old)).encode()
    text = without_value(text, format, keys)
    created = {each.keys[: len(each.keys) - up] for each in (value, *earlier) for up in range(1, each.made + 1)}
    parent = keys[:-1]
    while parent and parent in created and _lookup(parse_settings(text, format), parent) in ({}, []):
        text = without_value(text, format, parent)
        parent = parent[:-1]
    return text.encode()


def _check_revertible(value: ValueEdit, content: bytes) -> ValueEdit:
    """Check that a value can be restored even if others touch the file meanwhile. Raises: SettingsUnclear."""
    back = revert(value, apply(value, content), ())
    if not has_same_data(_text(back), _text(content), cast("Format", value.format)):
        raise SettingsUnclear(f"the value at {_show_keys(value.keys)} could not be restored later; change it by hand")
    return value


def _current_keys(value: ValueEdit, data: Json) -> Keys:
    """Return where a value is now: what was appended to a list may have moved in it."""
    parent = _lookup(data, value.keys[:-1]) if value.appended else None
    if isinstance(parent, list):
        ours = _decode(value.new)
        at = next((at for at in reversed(range(len(parent))) if is_same(parent[at], ours)), len(parent))
        return (*value.keys[:-1], at)
    return value.keys


def _lookup(data: Any, keys: Keys) -> Any:
    for key in keys:
        valid_keys = range(len(data)) if isinstance(data, list) else data if isinstance(data, dict) else ()
        if type(key) is not (int if isinstance(data, list) else str) or key not in valid_keys:
            return _MISSING
        data = data[key]
    return data


def _count_missing_parents(data: Json, keys: Keys) -> int:
    """Return how many parents of a value do not exist yet."""
    return next((up for up in range(len(keys)) if _lookup(data, keys[: len(keys) - 1 - up]) is not _MISSING), 0)


def _encode(value: object) -> str:
    """Encode as JSON. Raises: SettingsUnclear for what JSON cannot represent."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingsUnclear(f"a value cannot be stored as JSON: {error}") from error
    if not is_same(_decode(text), value):
        raise SettingsUnclear("a value cannot be stored as JSON without a change")
    return text


def _decode(text: str) -> Json:
    return cast("Json", msgspec.json.decode(text))


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SettingsUnclear("the file is not text in UTF-8; please change it by hand") from None


def _show_keys(keys: Keys) -> str:
    return ".".join(map(str, keys))
