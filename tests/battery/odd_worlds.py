"""A home with sessions of every agent in which something is odd, and commands that must come through it."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.agents.codex_rollouts import Rollout
from tests.agents.openclaw_sessions import Transcript
from tests.cycle.test_learn_agents import WRITERS
from tests.hooks import write_lesson_sessions
from tests.surfaces.test_terminal import run_in_process

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WHOLE = "pnpm instead of npm"
"""What the intact sessions teach."""
LOOKING = (["status"], ["agents"], ["doctor"], ["lessons"], ["brief"], ["memory"], ["recall", "pnpm"], ["blame"])
"""Commands that look at everything that was read."""


def claude_code(home: Path, number: int) -> None:
    """Another session of Claude Code: one of its own project."""
    write_lesson_sessions(home / "claude", home / "claude-project")
    for path in (home / "claude/.claude/projects/shop").iterdir():
        place = home / ".claude/projects/odd" / f"{number}-{path.name}"
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)


def codex(home: Path, number: int) -> None:
    """A session of Codex."""
    rollout = Rollout(number)
    rollout.prompt("run the tests")
    rollout.shell("npm test", "npm error use pnpm", 1)
    rollout.shell("pnpm test", "ok")
    rollout.write(home)


def openclaw(home: Path, number: int) -> None:
    """A session of OpenClaw."""
    transcript = Transcript(number)
    transcript.prompt("run the tests")
    transcript.shell("npm test", "npm error use pnpm", 1)
    transcript.shell("pnpm test", "ok")
    transcript.write(home / ".openclaw/agents/main/sessions")


AGENTS: dict[str, Callable[[Path, int], None]] = {
    **WRITERS,
    "claude-code": claude_code,
    "codex": codex,
    "openclaw": openclaw,
}


def write_intact_sessions(home: Path) -> Path:
    """Write sessions that teach something; return their project."""
    (home / "shop").mkdir(exist_ok=True)
    write_lesson_sessions(home, home / "shop")
    return home / "shop"


def session_files(home: Path) -> Iterator[Path]:
    """Yield the files of the odd sessions."""
    for path in sorted(home.rglob("*")):
        if path.is_file() and path.parts[len(home.parts)] != "wisen" and "projects/shop" not in path.as_posix():
            yield path


def replace_values(home: Path, names: re.Pattern[str], value: object) -> int:
    """Put a value in the place of every field with such a name, in logs and databases; return how many."""
    replaced = 0
    for path in session_files(home):
        if path.suffix in {".json", ".jsonl"}:
            kept = path.read_bytes()
            lines = [kept] if path.suffix == ".json" else kept.split(b"\n")
            new = []
            for line in lines:
                record = json.loads(line) if line.strip() else None
                count, record = _replaced(record, names, value)
                replaced += count
                new.append(json.dumps(record).encode() if record is not None else b"")
            path.write_bytes(b"\n".join(new))
        elif path.suffix == ".db":
            replaced += _replace_columns(path, names, value)
    return replaced


def _replaced(record: Any, names: re.Pattern[str], value: object) -> tuple[int, Any]:
    if isinstance(record, dict):
        pairs = {
            key: (1, value) if names.fullmatch(key) and not isinstance(each, dict) else _replaced(each, names, value)
            for key, each in record.items()
        }
        return sum(count for count, _ in pairs.values()), {key: each for key, (_, each) in pairs.items()}
    if isinstance(record, list):
        items = [_replaced(each, names, value) for each in record]
        return sum(count for count, _ in items), [each for _, each in items]
    return 0, record


def _replace_columns(path: Path, names: re.Pattern[str], value: object) -> int:
    cell = value if isinstance(value, (int, float, str)) and abs(_number(value)) < 2**63 else json.dumps(value)
    replaced = 0
    with closing(sqlite3.connect(path)) as database, database:
        for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            for column in filter(names.fullmatch, columns):
                replaced += database.execute(f"UPDATE OR IGNORE {table} SET {column} = ?", (cell,)).rowcount
    return replaced


def _number(value: object) -> float:
    return value if isinstance(value, (int, float)) else 0


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """Run in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def broken_command(*words: str) -> str:
    """Run a command; return what shows that the program itself is wrong, empty if nothing does."""
    out, err, _ = run_in_process(*words)
    for sign in ("a bug in wisen", "Traceback", "continued without", "without a part", "reader broke"):
        if sign in err or sign in out:
            at = (err + out).find(sign)
            return f"wisen {' '.join(words)}: {(err + out)[max(0, at - 200) : at + 300]}"
    return ""


def problem_of_run(project: Path) -> str:
    """Learn and look at everything; return what is wrong, empty if nothing is and the intact sessions taught theirs."""
    with working_in(project):
        for words in (["learn"], ["cycle", "--quick"], *LOOKING):
            if broken := broken_command(*words):
                return broken
        out, err, _ = run_in_process("lessons", "--json")
    return "" if _WHOLE in out else f"the intact sessions taught nothing: {out[:200]} {err[:200]}"
