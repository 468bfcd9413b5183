"""Sessions to learn from, and everything that a learn stores of them, in a form that two homes can be compared by."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

_TABLES = (
    "agents sources sessions scenes shapes events texts holdings spans mining signatures changes fixes failures tries"
    " habits pairs goals signals"
).split()
_SESSION_MEMORIES = """
    SELECT name, memories.* FROM memories JOIN memory_origins ON memory_origins.number = memories.origin
    WHERE name LIKE 'session:%'
"""
_PLACES = ("/srv/shop", "/srv/shop/.worktrees/one", "/srv/shop/api", "/srv/blog")
_SAID = ("no, that is wrong, use the other file", "das ist falsch, bitte anders", "thanks, perfect")

Content = dict[str, list[tuple[Any, ...]]]


def write_sessions(folder: Path, count: int = 12) -> None:
    """Write sessions with corrections, failures and fixes; the places in which they began do not exist."""
    for number in range(count):
        session = ClaudeTranscript(number, cwd=_PLACES[number % len(_PLACES)])
        session.prompt("always use pnpm here, never npm")
        session.bash("npm test", "npm: command not found", exit_code=127)
        session.bash("pnpm test", "ok", exit_code=0)
        session.prompt(_SAID[number % len(_SAID)])
        session.bash("git push", "done", exit_code=0)
        session.write(folder)


def share_machine(one: Path, other: Path) -> None:
    """Make a new home that takes the machine for the same one: keys of contexts depend on it."""
    other.mkdir()
    for name in ("machine", "machine-place"):
        (other / name).write_bytes((one / name).read_bytes())


def index_content(home: Path) -> Content:
    """Return every row of the index that is about sessions; numbers depend on the order in which rows were added."""
    with sqlite3.connect(home / "index.db") as db:
        content = {name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr) for name in _TABLES}
        content["memories"] = sorted(db.execute(_SESSION_MEMORIES), key=repr)
    return content


def ledger_content(home: Path) -> Content:
    """Return what the ledger knows of places and lessons, without ids and times."""
    with sqlite3.connect(home / "ledger.db") as db:
        return {
            "contexts": sorted(db.execute("SELECT key, kind, name FROM contexts")),
            "aliases": sorted(db.execute("SELECT context, path FROM aliases")),
            "entries": sorted(db.execute("SELECT count(*) FROM entries")),
            "occurrences": sorted(db.execute("SELECT count(*) FROM occurrences")),
            "moves": sorted(db.execute("SELECT count(*) FROM moves")),
        }
