"""Finds where a stated preference goes in the preferences.json of an OpenClaw workspace."""

from __future__ import annotations

import msgspec

FILE = "memory/preferences.json"
_LIST = "preferences"


def insertion_keys(content: bytes | None, id_: str) -> tuple[str | int, ...] | None:
    """Return the keys of a new preference whose rule has this id; `-` appends to a list.

    The file is a list of texts, or has one, or an object of them, under `preferences`; an object without that gets the
    list. None if there is no such file, or it has another shape: then we do not know how it is read.
    """
    try:
        data = msgspec.json.decode(content or b"")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    if isinstance(data, list):
        return ("-",) if _are_texts(data) else None
    if not isinstance(data, dict):
        return None
    preferences = data.get(_LIST, [])
    if isinstance(preferences, list) and _are_texts(preferences):
        return (_LIST, "-")
    return (_LIST, id_) if isinstance(preferences, dict) and _are_texts([*preferences.values()]) else None


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)
