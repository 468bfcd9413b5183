"""Parses TOML and YAML that others wrote: no text takes all memory, or ends in anything but a `ValueError`."""

from __future__ import annotations

import tomllib
import warnings
from typing import Any

_MAX_PREFIX_STEPS = 4_000_000
"""The parser keeps every beginning of a dotted key: a key of 2,000 parts takes 16 MB, one of 100,000 takes 40 GB."""
_TOO_DEEP = "it is nested too deeply"


def parse_toml(text: str) -> dict[str, Any]:
    """Return the data of a text. Raises: ValueError."""
    if sum(line.count(".") ** 2 for line in text.splitlines()) > _MAX_PREFIX_STEPS:
        raise ValueError("its keys have too many parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def parse_yaml(text: str, version: tuple[int, int] | None = None) -> Any:
    """Return the data of a text by a version of YAML, the newest if none is given. Raises: ValueError."""
    if not text:
        return None  # as the parser says, which takes 8 ms to load
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="safe", pure=True)
    if version:
        reader.version = version
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return reader.load(text)
    except (YAMLError, ValueError, TypeError, KeyError, IndexError, AttributeError, AssertionError) as error:
        raise ValueError(str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
