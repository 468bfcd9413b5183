"""Reads YAML by both of its versions: agents differ in which one they follow. It edits nothing."""

from __future__ import annotations

from typing import Any

from wisen.errors import SettingsUnclear
from wisen.safety.foreign_settings import parse_yaml


def data(text: str) -> Any:
    """Return the data of a text by YAML 1.2."""
    return _load(text, None)


def old_data(text: str) -> Any:
    """Return the data of a text by YAML 1.1, as PyYAML and with it many agents read it."""
    return _load(text, (1, 1))


def _load(text: str, version: tuple[int, int] | None) -> Any:
    try:
        found = parse_yaml(text, version)
    except ValueError as error:
        raise SettingsUnclear(f"this YAML cannot be read ({error}); please fix the file, then try again") from error
    return {} if found is None else found
