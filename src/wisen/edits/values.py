"""Values in a user's settings file: set or removed, found again, and restored.

Contents are bytes in UTF-8. What cannot be parsed or verified raises `SettingsUnclear`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

from wisen.edits.settings_text import parsed, same, says_the_same, with_value, without_value
from wisen.errors import SettingsUnclear
from wisen.model.change import Value

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
_NOTHING = object()


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
            parsed(_text(content), "json")
        except SettingsUnclear:
            return "json5"
    return _BY_SUFFIX[suffix]


def planned(content: bytes, format: Format, keys: Keys, value: Json) -> Value:
    """Plan setting a value; `-` as the last key appends to a list. Raises: SettingsUnclear."""
    data = parsed(_text(content), format)
    appended = keys[-1:] == ("-",)
    if appended:
        around = _at(data, keys[:-1])
        if not isinstance(around, list) and around is not _NOTHING:
            raise SettingsUnclear(f"nothing can be appended to {_shown(keys[:-1])}: it is not a list")
        keys = (*keys[:-1], len(around) if isinstance(around, list) else 0)
    old = _NOTHING if appended else _at(data, keys)
    if old is not _NOTHING and same(old, value):
        raise SettingsUnclear(f"{_shown(keys)} has that value already")
    return _proven(
        Value(
            format=format,
            keys=keys,
            new=_encoded(value),
            old="" if old is _NOTHING else _encoded(old),
            made=_missing(data, keys),
            appended=appended,
        ),
        content,
    )


def taken_out(content: bytes, format: Format, keys: Keys) -> Value:
    """Plan removing a value. Raises: SettingsUnclear if nothing is there."""
    old = _at(parsed(_text(content), format), keys)
    if old is _NOTHING:
        raise SettingsUnclear(f"there is nothing at {_shown(keys)}")
    return _proven(Value(format=format, keys=keys, new="", old=_encoded(old)), content)


def onto(value: Value, content: bytes) -> bytes:
    """Set or remove the value. Raises: SettingsUnclear."""
    text, format = _text(content), cast("Format", value.format)
    if not value.new:
        return without_value(text, format, value.keys).encode()
    new = _decoded(value.new)
    if not value.appended:
        return with_value(text, format, value.keys, new).encode()
    if _at(parsed(text, format), value.keys[:-1]) is _NOTHING:
        return with_value(text, format, value.keys[:-1], [new]).encode()
    return with_value(text, format, (*value.keys[:-1], "-"), new).encode()


def stands(value: Value, content: bytes) -> str | None:
    """Return what is in the value's place now, as JSON; None for nothing. Raises: SettingsUnclear."""
    data = parsed(_text(content), cast("Format", value.format))
    found = _at(data, _place(value, data))
    return None if found is _NOTHING else _encoded(found)


def off(value: Value, content: bytes, earlier: Iterable[Value]) -> bytes:
    """Restore what was there before; unchanged if something else is there now.

    `earlier`: the other values of ours in that file. A mapping that one of them created is removed if it is left empty.

    Raises:
        SettingsUnclear: the file cannot be parsed, or the change cannot be verified.
    """
    text, format = _text(content), cast("Format", value.format)
    data = parsed(text, format)
    keys = _place(value, data)
    now = _at(data, keys)
    if (now is _NOTHING) != (not value.new) or (value.new and not same(now, _decoded(value.new))):
        return content
    if value.old:
        if not value.new and _at(data, keys[:-1]) is _NOTHING:
            return content  # its parent is gone as well
        return with_value(text, format, keys, _decoded(value.old)).encode()
    text = without_value(text, format, keys)
    made = {each.keys[: len(each.keys) - up] for each in (value, *earlier) for up in range(1, each.made + 1)}
    around = keys[:-1]
    while around and around in made and _at(parsed(text, format), around) in ({}, []):
        text = without_value(text, format, around)
        around = around[:-1]
    return text.encode()


def _proven(value: Value, content: bytes) -> Value:
    """Check that a value can be restored even if others touch the file meanwhile. Raises: SettingsUnclear."""
    back = off(value, onto(value, content), ())
    if not says_the_same(_text(back), _text(content), cast("Format", value.format)):
        raise SettingsUnclear(f"the value at {_shown(value.keys)} could not be restored later; change it by hand")
    return value


def _place(value: Value, data: Json) -> Keys:
    """Return where a value is now: what was appended to a list may have moved in it."""
    around = _at(data, value.keys[:-1]) if value.appended else None
    if isinstance(around, list):
        ours = _decoded(value.new)
        at = next((at for at in reversed(range(len(around))) if same(around[at], ours)), len(around))
        return (*value.keys[:-1], at)
    return value.keys


def _at(data: Any, keys: Keys) -> Any:
    for key in keys:
        within = range(len(data)) if isinstance(data, list) else data if isinstance(data, dict) else ()
        if type(key) is not (int if isinstance(data, list) else str) or key not in within:
            return _NOTHING
        data = data[key]
    return data


def _missing(data: Json, keys: Keys) -> int:
    """Return how many parents of a value do not exist yet."""
    return next((up for up in range(len(keys)) if _at(data, keys[: len(keys) - 1 - up]) is not _NOTHING), 0)


def _encoded(value: object) -> str:
    """Encode as JSON. Raises: SettingsUnclear for what JSON cannot represent."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError) as error:
        raise SettingsUnclear(f"a value cannot be stored as JSON: {error}") from error
    if not same(_decoded(text), value):
        raise SettingsUnclear("a value cannot be stored as JSON without a change")
    return text


def _decoded(text: str) -> Json:
    return cast("Json", msgspec.json.decode(text))


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise SettingsUnclear("the file is not text in UTF-8; please change it by hand") from None


def _shown(keys: Keys) -> str:
    return ".".join(map(str, keys))
