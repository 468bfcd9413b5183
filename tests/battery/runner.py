"""Runs checks on every core, keeps what has been run, and goes on from there when it is started again."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.battery.check import Check, Tally, order_of, upper_bound
from tests.battery.checks import CHECKS
from tests.battery.isolation import own_home
from tests.conftest import COMPONENTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".battery" / "results.jsonl"
_PROGRAM = ROOT / "src"
"""A result counts as long as nothing in this folder has changed, nor the file of its check."""


@dataclass(frozen=True)
class Result:
    """What one run of one check gave."""

    check: str
    seed: int
    trials: int
    failures: tuple[str, ...]
    seconds: float
    code: str


def run_all(checks: Sequence[Check], *, full: bool, again: bool = False, jobs: int = 0) -> list[Result]:
    """Run what has not been run yet with this code, show how far it is, and return all results."""
    checks = [each for each in checks if _can_run(each)]
    program = _digest(_PROGRAM)
    codes = {check.id: program + _digest(Path(inspect.getfile(check.run))) for check in checks}
    kept = [] if again else [each for each in _kept() if each.code == codes.get(each.check)]
    wanted = {(check.id, seed) for check in checks for seed in range(check.full if full else check.quick)}
    results = [each for each in kept if (each.check, each.seed) in wanted]
    done = {(each.check, each.seed) for each in results}
    left = sorted(wanted - done, key=lambda each: (each[1], each[0]))
    for result in _run([(name, seed, codes[name]) for name, seed in left], jobs or os.cpu_count() or 1):
        results.append(result)
        _keep(result)
        _show(len(results), len(wanted), result)
    return results


def run_one(check: Check, seed: int) -> Tally:
    """Run a check once, in a folder of its own. Whatever it raises is a failure."""
    folder = Path(tempfile.mkdtemp(prefix="battery-"))
    try:
        with own_home(folder):
            return check.run(seed, folder)
    except Exception:  # noqa: BLE001 - a check that breaks has failed, and the others go on
        return Tally(1, [traceback.format_exc()])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def summarise(results: Iterable[Result]) -> dict[str, dict[str, Any]]:
    """The trials, failures and bound of each test."""
    tests: dict[str, dict[str, Any]] = {}
    for result in results:
        test = tests.setdefault(result.check.partition("-")[0], {"trials": 0, "failures": 0})
        test["trials"] += result.trials
        test["failures"] += len(result.failures)
    for test in tests.values():
        test["upper95"] = upper_bound(test["failures"], test["trials"])
    return dict(sorted(tests.items(), key=lambda each: order_of(each[0])))


def table(results: Sequence[Result]) -> str:
    """One line for each check, as a table in Markdown."""
    lines = [
        "| test | check | what must not happen | trials | failures | 95% upper bound |",
        "|---|---|---|---:|---:|---:|",
    ]
    for check in CHECKS:
        own = [each for each in results if each.check == check.id]
        if own:
            trials, failures = sum(each.trials for each in own), sum(len(each.failures) for each in own)
            bound = f"{upper_bound(failures, trials):.2%}"
            lines.append(f"| {check.test} | {check.name} | {check.what} | {trials:,} | {failures} | {bound} |")
    return "\n".join(lines)


def _can_run(check: Check) -> bool:
    for component in check.needs:
        is_here, brings = COMPONENTS[component]
        if not is_here():
            print(f"{check.id} is skipped: {component} is not here; it needs {brings}", file=sys.stderr)
            return False
    return True


def _run(left: Sequence[tuple[str, int, str]], jobs: int) -> Iterator[Result]:
    if not left:
        return
    # A fork of this process: what the checks import is loaded once.
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork"), max_tasks_per_child=None) as pool:
        running = {pool.submit(_run_named, *each) for each in left}
        for each in as_completed(running):
            yield each.result()


def _run_named(name: str, seed: int, code: str) -> Result:
    check = next(each for each in CHECKS if each.id == name)
    start = time.perf_counter()
    tally = run_one(check, seed)
    return Result(name, seed, tally.trials, tuple(tally.failures), time.perf_counter() - start, code)


def _digest(place: Path) -> str:
    """Of a file, or of all files of a program below a folder."""
    found = hashlib.sha256()
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.is_file() and "__pycache__" not in path.parts:
            found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _kept() -> Iterator[Result]:
    if KEPT.exists():
        for line in KEPT.read_text().splitlines():
            try:
                fields = json.loads(line)
            except ValueError:  # the last line of a run that was interrupted
                continue
            yield Result(**fields | {"failures": tuple(fields["failures"])})


def _keep(result: Result) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    with KEPT.open("a") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def _show(done: int, wanted: int, result: Result) -> None:
    for failure in result.failures:
        print(f"{result.check} seed {result.seed}: {failure}", file=sys.stderr)
    end = "\n" if not sys.stderr.isatty() or done == wanted else ""
    if sys.stderr.isatty() or done % 50 == 0 or done == wanted:
        print(f"\r{done:,} of {wanted:,} runs", end=end, file=sys.stderr, flush=True)
