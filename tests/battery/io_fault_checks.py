"""T3: calls to the file system fail, one after the other, while a command runs; the clock jumps."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.battery.check import Check, Tally
from tests.battery.faults import FAULTS, Striker
from tests.battery.forked_commands import read_tree, run_command, write_tree
from tests.battery.home_state import is_known, known_contents, problems_of, rows_of, users_files
from tests.battery.power_checks import in_memory
from tests.battery.workloads import WORKLOADS
from wisen.model.entry import MoveKind

if TYPE_CHECKING:
    from tests.battery.faults import Fault
    from tests.battery.forked_commands import Done
    from tests.battery.home_state import Row
    from tests.battery.system_calls import Call
    from tests.battery.workloads import Workload

_STRUCK = tuple(each for each in WORKLOADS if not each.begins_damaged)
"""What begins with a damaged ledger has no rows that could be compared; power cuts strike it."""
POINTS = 6
"""At how many calls a run lets something fail."""
_CHANGING = re.compile(
    r"\b[0-9A-HJKMNP-TV-Z]{26}\b|\b[RG]-[0-9a-f]{4,}|\d{4}-\d\d-\d\dT[\d:.]+Z?|\d{8}T\d{6,}|\b[\d.]+ m?s\b|\(\w{4}\)"
)
"""Ids and times: what is not the same in two runs."""
_COUNTED = ("entries", "occurrences", "moves", "proposals", "guards", "ownership", "exposures")
"""What the next run must have all of, but for rows that only say what was decided together: those are inferred."""


def fail_calls(seed: int, folder: Path) -> Tally:
    """One command, and every kind of fault at calls that it can strike."""
    chance, tally = random.Random(seed), Tally()
    workload = _STRUCK[seed % len(_STRUCK)]
    with in_memory(folder) as place:
        trial = _Trial(workload, place)
        for number in range(POINTS):
            fault = FAULTS[(seed + number) % len(FAULTS)]
            if calls := trial.calls[fault.name]:
                at = chance.randint(1, calls)
                problem = trial.problem_at(fault, at)
                tally.expect(not problem, f"{workload.name}, {fault.name} at {at} of {calls}: {problem}")
    return tally


class _Counter:
    """Counts what each fault could strike, in a run without any."""

    def __init__(self, root: Path) -> None:
        self.strikers = {fault.name: Striker(root, fault, 0) for fault in FAULTS}

    def before(self, call: Call) -> int | None:
        for each in self.strikers.values():
            each.before(call)
        return None

    def after(self, call: Call, result: int) -> None:
        """Nothing is wanted."""


class _Trial:
    """A home, what a command makes of it, and what it makes of it with faults."""

    def __init__(self, workload: Workload, place: Path) -> None:
        self._workload, self._home = workload, place / "p"
        self._home.mkdir()
        workload.prepare(self._home)
        self._before = read_tree(self._home)
        counter = _Counter(self._home)
        self._reference = run_command(self._home, workload.arguments, stdin=workload.stdin, watcher=counter)
        self.calls = {name: each.count for name, each in counter.strikers.items()}
        self._after = read_tree(self._home)
        self._rows = rows_of(self._home / "wisen" / "ledger.db")
        write_tree(self._home, self._before)
        self._kept = self._rows_now() & self._rows

    def problem_at(self, fault: Fault, number: int) -> str:
        """What is wrong if this call fails; empty if nothing."""
        write_tree(self._home, self._before)
        striker = Striker(self._home, fault, number)
        done = self._run(striker)
        where = striker.struck.replace(f"{self._home}/", "")
        if problem := self._problem_of(done) or self._harm():
            return f"{where}: {problem}"
        said = done.code or done.error or _same(done.out) != _same(self._reference.out)
        if not said and (missing := self._missing()):
            return f"{where}: nothing was said, and {missing}"
        again = self._run(None)
        if self._workload.arguments != ("cycle",) and (cycle := run_command(self._home, ("cycle",))).code:
            return f"{where}: the next cycle ended with {cycle.code}: {cycle.error or cycle.out}"
        if problem := self._harm():
            return f"{where}: after the next run {problem}"
        if missing := self._missing():
            return f"{where}: after the next run (exit code {again.code} {again.error[:200]}) {missing}"
        return ""

    def _run(self, striker: Striker | None) -> Done:
        return run_command(self._home, self._workload.arguments, stdin=self._workload.stdin, watcher=striker)

    def _problem_of(self, done: Done) -> str:
        if done.code < 0:
            return f"it was ended by signal {-done.code}"
        text = done.error + done.out
        return f"it ended with {text[-300:]}" if "Traceback" in text or "a bug in wisen" in text else ""

    def _harm(self) -> str:
        """What is damaged or lost now."""
        problem = next(problems_of(self._home, self._kept), "")
        if problem:
            return problem
        contents = known_contents(self._rows_now())
        files, before = users_files(read_tree(self._home)), users_files(self._before)
        for name in {*files, *before}:
            now = files.get(name)
            if now == before.get(name) or (now and is_known(now, contents)):
                continue
            if now is None and name in users_files(self._after):
                return f"{name} is gone"
            if now is not None and now != users_files(self._after).get(name):
                return f"{name} is neither as before nor as after: {now[:80]!r}"
        return ""

    def _missing(self) -> str:
        """What a run without faults makes and is not there."""
        has, wanted = _count(self._rows_now()), _count(self._rows)
        if less := [f"{wanted[name]} {name} are {has[name]}" for name in wanted if has[name] < wanted[name]]:
            return ", ".join(less)
        files = {name: _same(text.decode()) for name, text in users_files(read_tree(self._home)).items()}
        for name, content in users_files(self._after).items():
            if files.get(name) != _same(content.decode()):
                return f"{name} is not as it should be"
        return ""

    def _rows_now(self) -> frozenset[Row]:
        ledger = self._home / "wisen" / "ledger.db"
        return rows_of(ledger) if ledger.exists() else frozenset()


def _count(rows: frozenset[Row]) -> Counter[object]:
    return Counter(row[0] for row in rows if row[0] in _COUNTED and MoveKind.DECISION not in row)


def _same(text: str) -> str:
    return _CHANGING.sub("#", text)


CHECKS = (
    Check(
        "T3",
        "faults",
        "a call that fails damages a store or a file, loses what was there, or is not reported",
        fail_calls,
        quick=1,
        full=126,  # 756 pairs: each is a whole command twice and a cycle, half a second of CPU time
        needs=("ptrace",),
    ),
)
