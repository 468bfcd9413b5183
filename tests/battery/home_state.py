"""What a home must still hold after something went wrong: rows of the ledger, keys, whole files of the user."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from tests.battery.forked_commands import write_tree
from wisen import app
from wisen.errors import WisenError
from wisen.model.change import content_digest
from wisen.store.ledger import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.battery.forked_commands import Entry, Tree

Row = tuple[object, ...]
_LEDGER, _LOG = "wisen/ledger.db", "wisen/ledger.db-wal"
KEPT_FILES = ("wisen/machine", "wisen/salt")
"""Small files without which rows mean nothing: whose they are, and what was forgotten."""


def rows_in(tree: Mapping[str, Entry], scratch: Path) -> frozenset[Row]:
    """Every row of the ledger in a tree."""
    if _LEDGER not in tree:
        return frozenset()
    write_tree(scratch, {name.removeprefix("wisen/"): tree[name] for name in (_LEDGER, _LOG) if name in tree})
    return rows_of(scratch / "ledger.db")


def rows_of(ledger: Path) -> frozenset[Row]:
    """Every row of a ledger."""
    with closing(sqlite3.connect(ledger)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        return frozenset(
            (table.name, *row)
            for table in TABLES
            if table.name in tables
            for row in database.execute(f"SELECT {', '.join(table.columns)} FROM {table.name}")
        )


def users_files(tree: Tree) -> dict[str, bytes]:
    """The files outside wisen's own folder, without parts that a killed writer left."""
    return {
        name: entry.content
        for name, entry in tree.items()
        if entry.kind != "folder" and not name.startswith("wisen/") and not is_part(name)
    }


def is_part(name: str) -> bool:
    """Whether a file is one of ours that is not complete yet."""
    return name.rpartition("/")[2].startswith(".wisen-") and name.endswith(".part")


def problems_of(home: Path, expected: frozenset[Row]) -> Iterator[str]:
    """Open the stores of a home; what is wrong with them."""
    try:
        with app.wire(home / "wisen", {"HOME": str(home)}).learner() as learner:
            learner.home.ledger.check()
            learner.home.index.check()
    except WisenError as error:
        yield f"{type(error).__name__}: {error}"
        return
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure
        yield f"not an error of ours: {error!r}"
        return
    if lost := expected - rows_of(home / "wisen" / "ledger.db"):
        yield f"{len(lost)} rows were lost, such as {min(lost, key=repr)!r:.300}"


def known_contents(rows: frozenset[Row]) -> str:
    """The digests of all contents that the ledger knows user's files to have had by our hand, as one text."""
    return "\n".join(str(row) for row in rows if row[0] == "changes")


def is_known(content: bytes, contents: str) -> bool:
    """Whether the ledger knows of a change that led to this content."""
    return content_digest(content) in contents
