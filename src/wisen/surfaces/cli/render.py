"""How values become text on a terminal or JSON on a pipe."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_PIPE_WIDTH = 120


def print_json(value: object) -> None:
    """One JSON object, dates in ISO form, keys as the values name them."""
    import msgspec

    encoded = msgspec.json.encode(value, enc_hook=str)
    sys.stdout.write(msgspec.json.format(encoded, indent=2).decode("utf-8") + "\n")


def console() -> Console:
    """The terminal, plain when it is not one."""
    from rich.console import Console

    return Console(highlight=False) if sys.stdout.isatty() else Console(highlight=False, width=_PIPE_WIDTH)


def table(*columns: str, right: tuple[str, ...] = (), grow: str = "") -> Table:
    """A quiet table; `right` names the columns of numbers, `grow` the one that may be cut."""
    from rich.table import Table

    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        made.add_column(
            column,
            justify="right" if column in right else "left",
            overflow="ellipsis" if column == grow else "fold",
            no_wrap=column != grow or sys.stdout.isatty(),
            ratio=None,
        )
    return made


def size(count: int) -> str:
    """Bytes for a person."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"


def plural(count: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
