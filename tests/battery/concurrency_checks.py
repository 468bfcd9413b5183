"""T4: many processes at work on one home: nothing is lost, counted twice or dropped."""

from __future__ import annotations

import os
import random
import time
import traceback
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from tests.battery.busy_home import LIMIT, Attempt, BusyHome
from tests.battery.check import Check, Tally
from tests.battery.kill_checks import examine, run_round
from wisen import app

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.learner import Learner

COMMANDS_AT_ONCE = 32
PROCESSES = 32
OPERATIONS = 24
"""Each process does so many, not 1,000: every one is flushed to disk, and a million of them take a night."""
SWITCHES = 6


def mix_commands(seed: int, folder: Path) -> Tally:
    """As many different commands at once as there are, none of them killed: each that says it is done is done."""
    chance, tally = random.Random(seed), Tally()
    home = BusyHome(folder)
    results, failures = run_round(home, chance, COMMANDS_AT_ONCE, killed=0)
    failures += examine(home)
    for number, (name, _result) in enumerate(results):
        tally.expect(number > 0 or not failures, f"{name} and others at once: {'; '.join(failures)}")
    return tally


def share_a_home(seed: int, folder: Path) -> Tally:
    """Processes that use the API of one home for a while: every row is there once, in the order of its process."""
    tally, home = Tally(), BusyHome(folder)
    workers = [_Worker(home, seed, number) for number in range(PROCESSES)]
    for each in workers:
        each.wait()
    with closing(app.wire().ledger()) as ledger:
        ledger.check()
        rows = ledger.program_records.find()
        texts = [each.text or "" for each in rows]
    seen, counts = home.look(), Counter(texts)
    rules = Counter(each.text for each in seen.entries if each.is_rule and not each.merged_into)
    for worker in workers:
        if worker.trouble:
            tally.expect(False, f"process {worker.number} ended: {worker.trouble}")
        for kind, text in worker.done:
            found = rules[text] if kind == "rule" else counts[text] if kind == "record" else seen.notes.count(text)
            tally.expect(found == 1, f"the {kind} {text!r} is there {found} times")
        own = [text for kind, text in worker.done if kind == "record"]
        kept = [text for text in texts if text in set(own)]
        if kept != own:
            tally.failures.append(f"the records of process {worker.number} have another order")
    if len(rows) != sum(kind == "record" for worker in workers for kind, _ in worker.done):
        tally.failures.append("there are records that nobody made")
    tally.failures += home.recover() + home.problems()
    return tally


class _Worker:
    """A process that keeps a Learner open, and says through a pipe what was acknowledged."""

    def __init__(self, home: BusyHome, seed: int, number: int) -> None:
        self.number, self.done, self.trouble = number, list[tuple[str, str]](), ""
        reading, writing = os.pipe()
        self._process = os.fork()
        if self._process == 0:
            os.close(reading)
            _work(home, random.Random(f"{seed} {number}"), number, writing)
        os.close(writing)
        self._reading = reading

    def wait(self) -> None:
        """Read to its end."""
        with os.fdopen(self._reading) as lines:
            for line in lines:
                kind, _, text = line.rstrip("\n").partition(" ")
                if kind == "failed":
                    self.trouble += text
                else:
                    self.done.append((kind, text))
        os.waitpid(self._process, 0)


def _work(home: BusyHome, chance: random.Random, number: int, writing: int) -> None:
    try:
        with os.fdopen(writing, "w") as out:
            try:
                with app.wire().learner() as learner:
                    for turn in range(OPERATIONS):
                        print(*_operate(learner, home, chance, f"w{number}x{turn}"), file=out, flush=True)
            except BaseException:  # noqa: BLE001 - shown by the process that counts
                print("failed", traceback.format_exc().replace("\n", " | "), file=out, flush=True)
    finally:
        os._exit(0)


def _operate(learner: Learner, home: BusyHome, chance: random.Random, word: str) -> tuple[str, str]:
    """Do one thing, and return its kind and the text that must be there once afterwards."""
    draw = chance.random()
    if draw < 0.05:
        learner.learn(home.folder / ".claude" / "projects", jobs=1)
        return "record", _record(learner, f"learned {word}")
    if draw < 0.2:
        text = f"always rinse {word} before use"
        learner.rules.add(text)
        return "rule", text
    if draw < 0.35:
        text = f"met {word} at noon"
        learner.memory.add_note(text, home.folder / "shop")
        return "note", text
    return "record", _record(learner, f"insight {word}")


def _record(learner: Learner, text: str) -> str:
    learner.records.record_insight(text)
    return text


class _Switch(NamedTuple):
    """One `off` or `on`: when it began and ended, and whether it was done or found to be so already."""

    began: float
    ended: float
    turns_off: bool
    was_done: bool


def switch_at_once(seed: int, folder: Path) -> Tally:
    """`off` and `on` at once, again and again: what each answered, and the end, agree with some order of them."""
    chance, tally = random.Random(seed), Tally()
    home = BusyHome(folder)
    is_off = False
    for _ in range(SWITCHES):
        turns = [chance.random() < 0.5 for _ in range(6)]
        started = []
        for turns_off in turns:
            began = time.monotonic()
            started.append(
                (began, turns_off, home.start(Attempt(words=("off" if turns_off else "on",), folder="yard")))
            )
            time.sleep(chance.uniform(0, 0.05))
        switches = []
        for began, turns_off, command in started:
            result = command.wait(LIMIT)
            if result.returncode == 0 or "already" in result.stderr:
                switches.append(_Switch(began, time.monotonic(), turns_off, result.returncode == 0))
            elif "again" not in result.stderr:  # who came too late did nothing, and is told to look and repeat it
                tally.failures.append(result.stderr)
        ends_off = (home.folder / "yard" / ".wisen-off").exists()
        tally.expect(
            _has_order(switches, is_off, ends_off), f"no order explains {switches}, from {is_off} to {ends_off}"
        )
        is_off = ends_off
    return tally


def _has_order(left: Sequence[_Switch], is_off: bool, ends_off: bool) -> bool:
    """Return whether the operations can have been done one after the other, each between its begin and its end."""
    if not left:
        return is_off == ends_off
    first_end = min(each.ended for each in left)
    return any(
        _has_order([other for other in left if other is not each], each.turns_off, ends_off)
        for each in left
        # What began after another one had ended comes after it; nothing is said to be so already that is not.
        if each.began <= first_end and (each.was_done or each.turns_off == is_off)
    )


CHECKS = (
    Check(
        "T4",
        "commands",
        "a command that is done is undone, doubled or refused for another's sake",
        mix_commands,
        quick=1,
        full=50,
        needs=("git",),
    ),
    Check("T4", "processes", "a row of one of 32 processes is lost or doubled", share_a_home, quick=0, full=10),
    Check("T4", "switches", "answers at once agree with no order of them", switch_at_once, quick=0, full=25),
)
"""The last two need dozens of processes to mean anything, which `make test` has no time for."""
