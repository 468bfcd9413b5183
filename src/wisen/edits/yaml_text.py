"""Reads YAML by both of its versions: agents differ in which one they follow. It edits nothing."""

from __future__ import annotations

import warnings
from typing import Any

from wisen.errors import SettingsUnclear


def data(text: str) -> Any:
    """Return the data of a text by YAML 1.2."""
    return _load(text, None)


def old_data(text: str) -> Any:
    """Return the data of a text by YAML 1.1, as PyYAML and with it many agents read it."""
    return _load(text, (1, 1))


def _load(text: str, version: tuple[int, int] | None) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="safe", pure=True)
    if version:
        reader.version = version
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = reader.load(text)
    except (YAMLError, ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise SettingsUnclear(f"this YAML cannot be read ({why}); please fix the file, then try again") from error
    return {} if found is None else found
