"""Finds the names of variables that a command line sets; values may be secrets and are never kept."""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_ASSIGNMENT = lazy_regex(r"(?:^|[\s;&(])(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?=\S)")
_SOURCED_FILE = lazy_regex(r"(?:^|[\s;&])(?:source|\.)\s+(?P<file>[\w./~-]*env[\w./-]*)")
_ASSIGNED_VALUE = lazy_regex(r"\A(?P<name>[A-Za-z_][A-Za-z0-9_]*)=.+\Z", re.DOTALL)
VALUE_PLACEHOLDER = "<value>"
"""Placeholder for a value that is not kept."""


def variables_set_in(line: str) -> frozenset[str]:
    """Return the names of the variables that a line sets: `A=1 make`, `export A=1 && make`."""
    return frozenset(match["name"] for match in _ASSIGNMENT.finditer(line))


def file_read_for_settings(line: str) -> str:
    """Return the env file that a line sources before its commands; empty if none."""
    match = _SOURCED_FILE.search(line)
    return match["file"] if match else ""


def without_value(word: str) -> str:
    """Return `NAME=<value>` for a word that sets a variable; other words unchanged."""
    match = _ASSIGNED_VALUE.match(word)
    return f"{match['name']}={VALUE_PLACEHOLDER}" if match else word
