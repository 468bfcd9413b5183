"""Writes the overview files: the meta.md of each context, and the index.md of all contexts. Neither is read back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

GLOBAL = "global"
"""The key of the global context."""
_NOTICE = "wisen rewrites this file at each run; edits here are lost."


class IndexRow(NamedTuple):
    """A context in the index."""

    key: str
    """`GLOBAL` for the global context."""
    name: str
    rules: int
    corrections: int
    updated: date


def write_meta(key: str, name: str, aliases: Iterable[str], counts: Mapping[str, int], updated: date) -> str:
    """Format the meta file of a context: its key, its names, and how much it has."""
    rows = [("Key", _code(key)), ("Name", _cell(name)), ("Updated", f"{updated:%Y-%m-%d}")]
    rows += [(_cell(what), str(count)) for what, count in sorted(counts.items())]
    seen = "".join(f"- {_code(alias)}\n" for alias in sorted(set(aliases)))
    also = f"\n## Also seen as\n\n{seen}" if seen else ""
    return f"# {_line(name)}\n\n{_NOTICE}\n\n{_table(('What', 'Value'), rows)}{also}"


def write_index(rows: Iterable[IndexRow]) -> str:
    """Format the index of all contexts, the global one first."""
    shown = [
        (
            _cell(row.name),
            f"[{row.rules}]({_folder(row.key)}/rules.md)",
            f"[{row.corrections}]({_folder(row.key)}/corrections.md)",
            f"{row.updated:%Y-%m-%d}",
            _code(row.key),
        )
        for row in sorted(rows, key=lambda row: (row.key != GLOBAL, row.name.casefold(), row.key))
    ]
    table = _table(("Context", "Rules", "Corrections", "Updated", "Key"), shown)
    return f"# Index\n\n{_NOTICE} Rules and corrections are yours to edit.\n\n{table}"


def _folder(key: str) -> str:
    return key if key == GLOBAL else f"contexts/{key}"


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """Format a table; pipes are escaped in its cells, even in code."""
    rows = [tuple(cell.replace("|", r"\|") for cell in row) for row in rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, ("---",) * len(head), *rows))


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    """Escape Markdown in a text."""
    return re.sub(r"([\\`*_\[\]<>])", r"\\\1", _line(text))


def _code(text: str) -> str:
    """Format a text as code, even if it contains backticks."""
    text = _line(text)
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    pad = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
