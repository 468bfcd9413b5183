"""Finds where a stated preference goes in the preferences.json of an OpenClaw workspace."""

from __future__ import annotations

import msgspec

FILE = "memory/preferences.json"
_LIST = "preferences"


def keys_in(content: bytes | None, id_: str) -> tuple[str | int, ...] | None:
    """Return the keys of a new preference whose rule has this id; `-` appends to a list.

    The file is a list of texts, or has one, or an object of them, under `preferences`; an object without that gets the
    list. None if there is no such file, or it has another shape: then we do not know how it is read.
    """
    try:
        held = msgspec.json.decode(content or b"")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if isinstance(held, list):
        return ("-",) if _are_texts(held) else None
    if not isinstance(held, dict):
        return None
    inside = held.get(_LIST, [])
    if isinstance(inside, list) and _are_texts(inside):
        return (_LIST, "-")
    return (_LIST, id_) if isinstance(inside, dict) and _are_texts([*inside.values()]) else None


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
