"""A process that writes to the stores of a home until something stops it, and prints what was acknowledged.

Run as a program: `store_writer.py fill HOME LIMIT...`, `... look HOME` or `... squeeze HOME SIZE`.
"""

from __future__ import annotations

import itertools
import json
import os
import resource
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen.errors import StoreError
from wisen.store.backups import LedgerBackups
from wisen.store.sqlite_index import open_index
from wisen.store.sqlite_ledger import open_ledger
from wisen.system.clock import SystemClock
from wisen.testing.ledger_contract import a_run
from wisen.testing.log_writer import Log

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.store.index import Index
    from wisen.store.ledger import Ledger

EACH = 3
"""How many messages one batch holds."""
MOST = {"ledger": 120, "index": 40, "backup": 2}
"""How often a store is written to where nothing fails."""


def ledger_of(home: Path) -> Ledger:
    """The ledger of a home."""
    return open_ledger(home / "ledger.db", backups=home / "backups")


def index_of(home: Path) -> Index:
    """The index of a home."""
    return open_index(home / "index.db", clock=SystemClock())[0]


def backups_of(home: Path) -> LedgerBackups:
    """The backups of a home."""
    return LedgerBackups(home / "ledger.db", home / "backups", clock=SystemClock(), keep=3)


def a_log(name: str) -> Log:
    """A log of its own for each name."""
    log = Log(f"/logs/{name}.jsonl", name)
    for number in range(EACH):
        log.typed(f"{name}/{number}")
    return log


def append(home: Path, name: str) -> None:
    """Write to both stores for ever; say each name when both have it."""
    ledger, index = ledger_of(home), index_of(home)
    for number in itertools.count():
        item = f"{name}-{number}"
        ledger.runs.add(a_run(item))
        index.events.store([a_log(item).batch()])
        print(item, flush=True)


def fill(home: Path, *limits: str) -> None:
    """Write to copies of a home under a limit on the size of each file, once for each limit."""
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    for limit in map(int, limits):
        trial = home.with_name(f"{home.name}-{limit}")
        shutil.copytree(home, trial)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
        results = {kind: until_it_fails(kind, trial, most) for kind, most in MOST.items()}
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        print(json.dumps({"home": str(trial), **results}), flush=True)


def until_it_fails(kind: str, home: Path, most: int) -> dict[str, Any]:
    """Write to one store until it refuses; tells what was acknowledged and what it said."""
    done: list[str] = []
    try:
        step = _step(kind, home)
        while len(done) < most:
            done.append(step(f"{kind}-{len(done)}"))
    except StoreError as error:
        return {"done": done, "error": type(error).__name__, "says": str(error)}
    return {"done": done, "error": None, "says": ""}


def _step(kind: str, home: Path) -> Callable[[str], str]:
    if kind == "ledger":
        ledger = ledger_of(home)

        def record(name: str) -> str:
            ledger.runs.add(a_run(name, error="x" * 500))
            return name

        return record
    if kind == "index":
        index = index_of(home)

        def keep(name: str) -> str:
            index.events.store([a_log(name).batch()])
            return name

        return keep
    return lambda name: backups_of(home).create().name if name else ""


def look(home: Path) -> None:
    """Open both stores as somebody without rights, if this is somebody with all of them."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
    errors = {}
    for name, opening in (("ledger", ledger_of), ("index", index_of)):
        try:
            opening(home).close()
        except StoreError as error:
            errors[name] = [type(error).__name__, str(error)]
    print(json.dumps(errors))


def squeeze(home: Path, size: str) -> None:
    """Write to stores on a disk that holds no more than `size`; then make room and look at them."""
    import subprocess

    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(home)], check=True)
    ledger = ledger_of(home)
    ledger.runs.add(a_run("first"))
    ledger.close()
    index_of(home).close()
    backups_of(home).create()
    results = {kind: until_it_fails(kind, home, 10_000) for kind in MOST}
    subprocess.run(["mount", "-o", "remount,size=16m", str(home)], check=True)
    print(json.dumps({"home": str(home), **results, "after": after(home)}))


def after(home: Path) -> dict[str, Any]:
    """What a home holds, looked over whole."""
    ledger, index = ledger_of(home), index_of(home)
    ledger.check()
    index.check()
    copy = backups_of(home).newest_valid()
    names = {str(name) for (name,) in index.database.run("SELECT native FROM sessions")}  # type: ignore[attr-defined]
    events = index.database.query_int("SELECT count(*) FROM events")  # type: ignore[attr-defined]
    runs = [run.id for run in ledger.runs.newest(1_000_000)]
    ledger.close()
    index.close()
    return {"runs": runs, "sessions": sorted(names), "events": events, "copy": copy and copy.name}


if __name__ == "__main__":
    jobs: dict[str, Callable[..., None]] = {"fill": fill, "look": look, "squeeze": squeeze}
    jobs[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
