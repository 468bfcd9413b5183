"""Commands that write, each with the home that it begins in: what power cuts and faults strike."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.battery.forked_commands import run_command
from tests.hooks import failed_call, fire, write_lesson_sessions
from wisen.store.migrate import known_migrations
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.store.migrate import Store

RULES = "# Shop\n\nBe kind.\n"
_SETTINGS = '{\n  "model": "opus"\n}\n'


@dataclass(frozen=True)
class Workload:
    """A command, and what was there before it."""

    name: str
    arguments: tuple[str, ...]
    prepare: Callable[[Path], None]
    stdin: str = ""
    begins_damaged: bool = False
    """Whether the ledger is damaged until the command has repaired it."""


def _sessions(home: Path) -> None:
    write_lesson_sessions(home, home / "shop")
    (home / "shop" / ".git").mkdir()
    (home / "shop" / "CLAUDE.md").write_text(RULES)
    (home / ".claude" / "settings.json").write_text(_SETTINGS)


def _learned(home: Path) -> None:
    _sessions(home)
    _run(home, "cycle")


def _third_session(home: Path) -> None:
    log = ClaudeTranscript(3, cwd=str(home / "shop"))
    log.prompt("run the checks")
    log.bash("make check", "make: *** No rule to make target 'check'", exit_code=2)
    log.bash("make test", "ok")
    log.prompt("no, always run make lint before you commit")
    log.write(home / ".claude" / "projects" / "shop")


def _more_to_learn(home: Path) -> None:
    _learned(home)
    _third_session(home)


def _approved(home: Path) -> None:
    _learned(home)
    _run(home, "proposals", "approve", "1")


def _remembered(home: Path) -> None:
    _learned(home)
    _run(home, "remember", "Never use tabs here.")


def _installed(home: Path) -> None:
    _learned(home)
    _run(home, "install", "claude-code", "--yes")


def _delivered(home: Path) -> None:
    _installed(home)
    for event in ("session-start", "prompt", "stop"):
        fire(home / "wisen", event, {"session_id": "s", "cwd": str(home / "shop"), "source": "startup", "prompt": "go"})
    said = "Exit code 2\nshopctl: error: unrecognized option '--wait'"
    fire(home / "wisen", "failure", failed_call("shopctl deploy --wait", said, cwd=home / "shop"))


def _damaged(home: Path) -> None:
    """The index is garbled, and the ledger is as its backup."""
    _remembered(home)
    _run(home, "cycle")
    index = home / "wisen" / "index.db"
    content = bytearray(index.read_bytes())
    content[5000:9000] = b"\xa5" * 4000
    index.write_bytes(content)


def _ledger_damaged(home: Path) -> None:
    _remembered(home)
    _run(home, "cycle")
    ledger = home / "wisen" / "ledger.db"
    ledger.write_bytes(b"garbled" + ledger.read_bytes()[7:])


def _rules_edited(home: Path) -> None:
    _remembered(home)
    for page in (home / "wisen" / "contexts").glob("*/rules.md"):
        page.write_text(page.read_text() + "- Write tests first.\n")


def _short_retention(home: Path) -> None:
    _more_to_learn(home)
    (home / "wisen" / "config.toml").write_text("[archive]\ndays = 1\n")


def _older(home: Path) -> None:
    """A home of the version before the last migration of each store."""
    _remembered(home)
    stores: tuple[Store, ...] = ("ledger", "index")
    for store in stores:
        last = known_migrations(store)[-1]
        with closing(sqlite3.connect(home / "wisen" / f"{store}.db")) as database, database:
            for table in re.findall(r"CREATE TABLE (\w+)", last.text):
                database.execute(f"DROP TABLE {table}")
            database.execute("DELETE FROM migrations WHERE version = ?", (last.version,))


def _run(home: Path, *arguments: str) -> None:
    done = run_command(home, arguments)
    if done.code:
        raise RuntimeError(f"{arguments} failed: {done.error or done.out}")


WORKLOADS = (
    Workload("first learn", ("learn",), _sessions),
    Workload("second learn", ("learn",), _more_to_learn),
    Workload("first cycle", ("cycle",), _sessions),
    Workload("second cycle", ("cycle",), _more_to_learn),
    Workload("approve into a file", ("proposals", "approve", "1"), _learned),
    Workload("reject", ("proposals", "reject", "1"), _learned),
    Workload("undo", ("undo", "--yes"), _approved),
    Workload("remember", ("remember", "Never use tabs here."), _learned),
    Workload("forget", ("forget", "pnpm", "--yes"), _approved),
    Workload("forget everything", ("forget", "--everything", "--scope", "all", "--yes"), _approved),
    Workload("install", ("install", "claude-code", "--yes"), _learned),
    Workload("install codex", ("install", "codex", "--yes"), _learned),
    Workload("uninstall", ("uninstall", "claude-code"), _installed),
    Workload("repair of the index", ("doctor", "--repair"), _damaged),
    Workload("repair of the ledger", ("doctor", "--repair"), _ledger_damaged, begins_damaged=True),
    Workload("retention", ("cycle",), _short_retention),
    Workload("spool", ("cycle",), _delivered),
    Workload("pages that were edited", ("cycle",), _rules_edited),
    Workload("migration", ("cycle",), _older),
    Workload("guard", ("guards", "add", "deny npm install # we use pnpm"), _learned),
    Workload("lessons into files", ("lessons", "write"), _learned),
    Workload("off", ("off",), _learned),
)
