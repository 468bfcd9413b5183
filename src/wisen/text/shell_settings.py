"""Finds the variables that a command line sets, by name alone: a value may be a secret and is never kept."""

from __future__ import annotations

import re

_SETTING = re.compile(r"(?:^|[\s;&(])(?:export\s+)?(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?=\S)")
_READS_FILE = re.compile(r"(?:^|[\s;&])(?:source|\.)\s+(?P<file>[\w./~-]*env[\w./-]*)")
_VALUE = re.compile(r"\A(?P<name>[A-Za-z_][A-Za-z0-9_]*)=.+\Z", re.DOTALL)
VALUE = "<value>"
"""Stands for a value that is not kept."""


def variables_set_in(line: str) -> frozenset[str]:
    """The names of the variables that a line sets for its commands: `A=1 make`, `export A=1 && make`."""
    return frozenset(found["name"] for found in _SETTING.finditer(line))


def file_read_for_settings(line: str) -> str:
    """The file of variables that a line reads before its commands; empty where it reads none."""
    found = _READS_FILE.search(line)
    return found["file"] if found else ""


def without_value(word: str) -> str:
    """`NAME=<value>` for a word that sets a variable; other words as they are."""
    found = _VALUE.match(word)
    return f"{found['name']}={VALUE}" if found else word
