"""T1: commands and hooks are killed at any moment, up to eight at once on one home; nothing acknowledged is lost."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.battery.busy_home import LIMIT, BusyHome
from tests.battery.check import Check, Tally
from tests.battery.writing_commands import ATTEMPTS

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping
    from pathlib import Path

    from tests.battery.busy_home import Attempt
    from tests.command_server import RunningCommand

ROUNDS = 6
AT_ONCE = (1, 1, 2, 4, 8)
"""How many commands run on the home in a round."""
KILLED = 0.8
"""The part of the commands that are killed; the others say what they did."""
_GUESS = 0.2
_seconds: dict[str, float] = {}
"""How long each command took when it was not killed, in this process."""


@dataclass
class Started:
    """A command under way."""

    name: str
    attempt: Attempt
    command: RunningCommand
    at: float
    kill_at: float | None


def kill_commands(seed: int, folder: Path) -> Tally:
    """Rounds of commands on one home, most of which are killed; after each round the home is examined."""
    chance, tally = random.Random(seed), Tally()
    home = BusyHome(folder)
    for _ in range(ROUNDS):
        results, failures = run_round(home, chance, chance.choice(AT_ONCE))
        kills = [name for name, result in results if result.returncode < 0]
        failures += examine(home)
        for number, name in enumerate(kills):
            problem = f"after {name} and {len(kills) - 1} more were killed: {'; '.join(failures)}"
            # What is wrong after a round is one failure, whichever of its kills it comes from.
            tally.expect(number > 0 or not failures, problem)
        if failures and not kills:
            tally.failures += failures
    if left := home.leftovers():
        tally.failures += left
    return tally


def run_round(
    home: BusyHome, chance: random.Random, many: int, *, killed: float = KILLED
) -> tuple[list[tuple[str, subprocess.CompletedProcess[str]]], list[str]]:
    """Start commands at once, kill some of them, and wait for all; return their results and what went wrong."""
    running = [_start(home, name, attempt, chance, killed) for name, attempt in choose(home, chance, many).items()]
    for each in sorted((each for each in running if each.kill_at is not None), key=lambda each: each.kill_at or 0):
        time.sleep(max((each.kill_at or 0) - time.monotonic(), 0))
        each.command.kill()
    results, failures = list[tuple[str, "subprocess.CompletedProcess[str]"]](), list[str]()
    for each in running:
        result = each.command.wait(LIMIT)
        results.append((each.name, result))
        if result.returncode >= 0:
            _seconds[each.name] = (_seconds.get(each.name, _GUESS) + time.monotonic() - each.at) / 2
        failures += settle(home, each.attempt, result)
    return results, failures


def choose(home: BusyHome, chance: random.Random, many: int) -> Mapping[str, Attempt]:
    """Choose commands that do not decide about the same thing."""
    seen = home.look()
    chosen: dict[str, Attempt] = {}
    subjects: set[str] = set()
    names = [*ATTEMPTS]
    chance.shuffle(names)
    for name in names:
        if len(chosen) == many:
            break
        attempt = ATTEMPTS[name](home, seen, chance)
        if attempt is not None and attempt.subject not in subjects:
            subjects |= {attempt.subject} - {""}
            chosen[name] = attempt
    return chosen


def settle(home: BusyHome, attempt: Attempt, result: subprocess.CompletedProcess[str]) -> list[str]:
    """Keep what a command acknowledged; return what is wrong with how it ended."""
    said = f"`wisen {' '.join(attempt.words)}` ended with {result.returncode}"
    for subject in [each for each in home.acknowledged if attempt.retracts and attempt.retracts in each]:
        del home.acknowledged[subject]
    home.acknowledged.pop(attempt.subject, None)
    if result.returncode == 0 and attempt.subject:
        home.acknowledged[attempt.subject] = (said, attempt.holds)
    # A refusal says why, and never that somebody else is at work or that something is damaged.
    is_refusal = result.returncode == 1 and attempt.may_refuse
    is_loud = any(word in result.stderr for word in ("Traceback", "a bug in wisen", "damaged", "is in use by"))
    if result.returncode > 0 and (is_loud or not is_refusal):
        return [f"{said}: {result.stderr}{result.stdout[-300:]}"]
    return []


def examine(home: BusyHome) -> list[str]:
    """Return what is wrong now, and after an ordinary run."""
    return home.problems() + home.recover() + home.problems()


def _start(home: BusyHome, name: str, attempt: Attempt, chance: random.Random, killed: float) -> Started:
    command, at = home.start(attempt), time.monotonic()
    # A tenth beyond the time that it takes: the end is a moment like any other.
    kill_at = at + chance.uniform(0, 1.1 * _seconds.get(name, _GUESS)) if chance.random() < killed else None
    return Started(name, attempt, command, at, kill_at)


CHECKS = (
    Check(
        "T1",
        "commands",
        "a killed command loses, tears or doubles something",
        kill_commands,
        quick=1,
        full=210,
        needs=("git",),
    ),
)
