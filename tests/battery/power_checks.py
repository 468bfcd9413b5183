"""T2: the power goes at any moment of a command, and the disk holds anything that it may hold then."""

from __future__ import annotations

import json
import os
import random
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tests.battery.check import Check, Tally
from tests.battery.forked_commands import fork_and_wait, read_tree, run_command, write_tree
from tests.battery.home_state import (
    KEPT_FILES,
    is_known,
    known_contents,
    problems_of,
    rows_in,
    rows_of,
    users_files,
)
from tests.battery.power_cuts import Recording
from tests.battery.workloads import WORKLOADS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.battery.forked_commands import Tree
    from tests.battery.home_state import Row
    from tests.battery.workloads import Workload

STATES = 120
"""How many states of the disk a run tries."""
_CYCLES = 3
"""After how many of them the next cycle is run too: it takes a hundred times as long."""
_MEMORY = Path("/dev/shm")


def cut_the_power(seed: int, folder: Path) -> Tally:
    """Record one command, then look at what the disk may hold after a cut at any moment of it."""
    chance, tally = random.Random(seed), Tally()
    workload = WORKLOADS[seed % len(WORKLOADS)]
    with in_memory(folder) as place:
        home = place / "p"
        home.mkdir()
        workload.prepare(home)
        recording = Recording.of(home, home.with_name("p.out"))
        done = run_command(home, workload.arguments, stdin=workload.stdin, watcher=recording)
        if done.code:
            raise RuntimeError(f"{workload.name} failed: {done.error or done.out}")
        _require_faithful(recording, home)
        results = place / "results"
        # In a process of its own: whatever opening damaged stores does to it ends with it.
        code = fork_and_wait(lambda: _try_states(_Cuts(workload, recording, place), chance, results), seconds=600)
        problems = json.loads(results.read_text()) if code == 0 else [(0, f"looking at it ended with {code}")]
    for moment, problem in problems:
        tally.expect(not problem, f"{workload.name}, cut at {moment} of {recording.moment}: {problem}")
    return tally


def _try_states(cuts: _Cuts, chance: random.Random, results: Path) -> int:
    """Write what is wrong with each state that was tried, beside its moment."""
    problems: list[tuple[int, str]] = []
    seen: set[int] = set()
    while len(problems) < STATES:
        # What was acknowledged must last: every other moment is one after something was printed.
        moment = chance.randint(chance.choice((0, cuts.first_printed)), cuts.last)
        tree = cuts.recording.cut(moment, chance)
        if (known := hash(frozenset(tree.items()))) not in seen:
            seen.add(known)
            with_cycle = len(seen) % (STATES // _CYCLES) == 0
            problems.append((moment, cuts.problem_at(moment, tree, with_cycle=with_cycle)))
    results.write_text(json.dumps(problems))
    return 0


@contextmanager
def in_memory(folder: Path) -> Iterator[Path]:
    """A folder in memory, if there is any, below which thousands of trees are written; else this one."""
    if not os.access(_MEMORY, os.W_OK):
        yield folder
        return
    place = Path(tempfile.mkdtemp(prefix="battery-", dir=_MEMORY))
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _require_faithful(recording: Recording, home: Path) -> None:
    """What was recorded must lead to what is there."""
    recorded = {name: entry.content for name, entry in recording.whole(recording.moment).items()}
    real = {name: entry.content for name, entry in read_tree(home).items() if not name.endswith("-shm")}
    if recorded != real:
        different = [name for name in {*recorded, *real} if recorded.get(name) != real.get(name)]
        raise RuntimeError(f"the recording misses something about {different}")


class _Cuts:
    """What must hold in the states of one recording."""

    def __init__(self, workload: Workload, recording: Recording, place: Path) -> None:
        self._workload, self.recording, self._place = workload, recording, place
        self.last = recording.moment
        self.first_printed = min(recording.printed, default=self.last)
        self._rows: dict[int, frozenset[Row]] = {}
        self._allowed: dict[str, set[bytes | None]] = {}
        self._contents = known_contents(self._rows_at(recording.moment))
        self._before = users_files(recording.whole(0))
        complete = [each.moment for each in recording.namings if each.completes]
        for moment in (0, *complete, recording.moment):
            now = users_files(recording.whole(moment))
            for name in {*now, *self._allowed}:
                self._allowed.setdefault(name, set() if moment == 0 else {None}).add(now.get(name))

    def problem_at(self, moment: int, tree: Tree, *, with_cycle: bool) -> str:
        """What is wrong after a cut at a moment that left this; empty if nothing."""
        home = self._place / "p"
        write_tree(home, tree)
        files = users_files(tree)
        for name, content in files.items():
            if content not in self._allowed.get(name, ()):
                return f"{name} is neither as before nor as after: {content[:80]!r}"
        if missing := [name for name in self._before if name not in files and None not in self._allowed[name]]:
            return f"{missing[0]} is gone"
        told = max((each for each in self.recording.printed if each < moment), default=0)
        told = moment if moment == self.recording.moment else told
        whole = self.recording.whole(told)
        for name in KEPT_FILES:
            if name in whole and (name not in tree or tree[name].content != whole[name].content):
                return f"{name} is not what it was"
        if self._workload.begins_damaged:
            expected = self._rows_at(self.last)
            if next(problems_of(home, expected), "") and (done := run_command(home, ("doctor", "--repair"))).code:
                return f"the next repair ended with {done.code}: {done.error or done.out}"
        else:
            expected = self._rows_at(told) & self._rows_at(moment)
        if problem := next(problems_of(home, expected), ""):
            return problem
        contents = known_contents(rows_of(home / "wisen" / "ledger.db"))
        for name, content in files.items():
            changed = content != self._before.get(name) and is_known(content, self._contents)
            if changed and not is_known(content, contents):
                return f"{name} was changed, and the ledger does not know of it"
        return self._cycle_problem(home, expected) if with_cycle else ""

    def _cycle_problem(self, home: Path, expected: frozenset[Row]) -> str:
        done = run_command(home, ("cycle",))
        if done.code or "Traceback" in done.error:
            return f"the next cycle ended with {done.code}: {done.error or done.out}"
        if self._workload.name.startswith(("forget", "retention")):
            return ""  # a cycle goes on with what was begun
        kept = {row for row in expected if row[0] != "phrases"}
        return "" if kept <= rows_of(home / "wisen" / "ledger.db") else "the next cycle lost rows"

    def _rows_at(self, moment: int) -> frozenset[Row]:
        if moment not in self._rows:
            self._rows[moment] = rows_in(self.recording.whole(moment), self._place / "s")
        return self._rows[moment]


CHECKS = (
    Check(
        "T2",
        "power-cut",
        "a power cut loses what was acknowledged, damages a store, or leaves half of a user's file",
        cut_the_power,
        quick=1,
        full=167,
        needs=("ptrace",),
    ),
)
