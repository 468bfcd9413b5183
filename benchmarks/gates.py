"""CI gates: the cost of a hook relative to a bare interpreter, and the speed of log parsing relative to json.loads.

Each figure is a ratio to a reference that runs alternately with it, and both are CPU time: a busy machine slows down
both alike. `ok` is false if a ratio exceeds its bound in `BOUNDS`; `python -m benchmarks gates` then exits with 1.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.data import generate_transcripts
from benchmarks.hooks import failure_payload, hook_runner, prepare_home

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

HOOK_RUNS = 25
SCAN_RUNS = 3
SCAN_MEGABYTES = 80
BOUNDS = {"observe": 1.8, "answer": 2.0, "store_all": 1.8, "nothing_new": 0.6}
"""The most that each may cost, as a multiple of its reference.

The first two: a hook as an agent runs it (shell, launcher, interpreter, client), as a multiple of `python -c pass`.
The others: reading logs for the first time, and reading them again when nothing is new, as multiples of json.loads.
"""
_JSON_LOADS = """
import json, sys, time
from pathlib import Path
began = time.process_time()
for file in Path(sys.argv[1]).rglob("*.jsonl"):
    with file.open("rb") as lines:
        for line in lines:
            json.loads(line)
print(time.process_time() - began)
"""
_LEARN = """
import sys, time
from pathlib import Path
from wisen import app
from wisen.system.clock import SystemClock
SystemClock.elapsed = lambda self: time.process_time()
with app.wire(sys.argv[1], {"HOME": "/nonexistent"}).learner() as learner:
    print(learner.learn(Path(sys.argv[2]), recheck=True, jobs=1).reading_seconds)
"""


def run(options: argparse.Namespace) -> dict[str, object]:
    """The ratios of one run beside their bounds."""
    del options
    with tempfile.TemporaryDirectory(prefix="wisen-gates-") as scratch:
        ratios = {**_hooks(Path(scratch)), **_scan(Path(scratch))}
    return {
        "ratio": ratios,
        "bound": BOUNDS,
        "ok": all(ratios[name] <= bound for name, bound in BOUNDS.items()),
    }


def _hooks(folder: Path) -> dict[str, float]:
    """The cost of an event with nothing to say, and of a session start that is answered."""
    home = prepare_home(folder)
    project = str(folder / "shop")
    start = hook_runner(home, "session-start", {"cwd": project, "source": "startup"})
    quiet = hook_runner(
        home, "failure", {"cwd": project, **failure_payload("ls /none", "Exit code 2\nls: none: No such file")}
    )
    assert start("check").strip(), "there was nothing to answer"
    taken: dict[str, list[float]] = {"bare": [], "observe": [], "answer": []}
    for number in range(HOOK_RUNS):
        for name, once in (("bare", _bare), ("observe", quiet), ("answer", start)):
            taken[name].append(_cpu_of(lambda once=once, number=number: once(f"gate-{number}")))  # type: ignore[misc]
    return {name: median(taken[name]) / median(taken["bare"]) for name in ("observe", "answer")}


def _bare(_: str) -> None:
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def _cpu_of(action: Callable[[], object]) -> float:
    """Seconds of processor time that the programs took which an action started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _scan(folder: Path) -> dict[str, float]:
    """The cost of reading logs into an empty home, and once more; the second reading sums up what the third skips."""
    logs = generate_transcripts(folder / "logs", SCAN_MEGABYTES)
    taken: dict[str, list[float]] = {"loads": [], "store_all": [], "nothing_new": []}
    for number in range(SCAN_RUNS):
        learn = [sys.executable, "-c", _LEARN, str(folder / f"home{number}"), str(logs)]
        taken["loads"].append(_seconds([sys.executable, "-c", _JSON_LOADS, str(logs)]))
        taken["store_all"].append(_seconds(learn))
        _seconds(learn)
        taken["nothing_new"].append(_seconds(learn))
    return {name: median(taken[name]) / median(taken["loads"]) for name in ("store_all", "nothing_new")}


def _seconds(command: list[str]) -> float:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    return float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
