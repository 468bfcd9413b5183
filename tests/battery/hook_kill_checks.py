"""T1: hooks are killed at any moment, up to eight at once: what was answered is counted once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from tests.battery.busy_home import LIMIT, BusyHome
from tests.battery.check import Check, Tally
from tests.hooks import failed_call
from wisen import app
from wisen.model.entry import rule_id

if TYPE_CHECKING:
    from pathlib import Path

SESSIONS = 14
KILLED = 0.7
"""The part of the hooks that are killed."""
_EVENTS = ("session-start", "prompt", "failure", "before-call")
"""The ends of turns and sessions start a cycle as well, which is killed as a command."""


class Fired(NamedTuple):
    """A hook under way, or what came of it."""

    session: str
    event: str
    process: subprocess.Popen[bytes]


def kill_hooks(seed: int, folder: Path) -> Tally:
    """Sessions at once, each with a few events, most of which are killed; then a cycle counts what was delivered."""
    chance, tally = random.Random(seed), Tally()
    home = _with_hooks(BusyHome(folder))
    answered, killed = Counter[str](), list[str]()
    seconds = _measure(home)
    waiting = [f"{seed}-{number}" for number in range(SESSIONS)]
    while waiting:
        at_once = [waiting.pop() for _ in range(min(len(waiting), chance.choice((1, 2, 8))))]
        for event in _EVENTS:
            for fired, output, was_killed in _run([(name, event) for name in at_once], home, chance, seconds):
                problem = _answer_problem(output)
                if was_killed:
                    killed.append(fired.session)
                    tally.expect(not problem, f"{event} was killed: {problem}")
                elif problem or fired.process.returncode:
                    tally.failures.append(f"{event} ended with {fired.process.returncode}: {problem}")
                if event == "session-start" and output and not was_killed:
                    answered[fired.session] += 1
    tally.failures += _delivery_problems(home, answered, set(killed))
    return tally


def _with_hooks(home: BusyHome) -> BusyHome:
    for words in (("install", "claude-code", "--yes"), ("remember", "always rinse plum1 before use"), ("cycle",)):
        assert home.run(*words).returncode == 0
    return home


def _measure(home: BusyHome) -> float:
    began = time.monotonic()
    for event in _EVENTS:
        process = _fire(home, "measured", event).process
        assert process.stdout is not None
        with process.stdout as stream:
            stream.read()
        assert process.wait(LIMIT) == 0
    return (time.monotonic() - began) / len(_EVENTS)


def _run(
    events: list[tuple[str, str]], home: BusyHome, chance: random.Random, seconds: float
) -> list[tuple[Fired, bytes, bool]]:
    fired = [_fire(home, session, event) for session, event in events]
    moments = sorted((chance.uniform(0, 1.2 * seconds), each) for each in fired if chance.random() < KILLED)
    began = time.monotonic()
    for moment, each in moments:
        time.sleep(max(began + moment - time.monotonic(), 0))
        if each.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(each.process.pid, signal.SIGKILL)
    results = []
    for each in fired:
        assert each.process.stdout is not None
        with each.process.stdout as stream:
            output = stream.read()
        code = each.process.wait(LIMIT)
        results.append((each, output, code == -signal.SIGKILL))
    return results


def _fire(home: BusyHome, session: str, event: str) -> Fired:
    """Start a hook as the agent's settings do: the launcher, in a group of its own."""
    payload = failed_call("shopctl deploy --wait", "shopctl: error: unrecognized option '--wait'", session=session)
    payload |= {"cwd": str(home.folder / "shop"), "prompt": "deploy it", "source": "startup", "tool_use_id": "c1"}
    process = subprocess.Popen(
        ["/bin/sh", str(home.home / "hook"), "claude-code", event],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        cwd=home.folder / "shop",
    )
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:
        stream.write(json.dumps(payload).encode())
    return Fired(session, event, process)


def _answer_problem(output: bytes) -> str:
    """Return what is wrong with an answer: an agent must get all of it or nothing."""
    try:
        return "" if not output or json.loads(output) else "an empty answer"
    except ValueError:
        return f"half an answer: {output!r}"


def _delivery_problems(home: BusyHome, answered: Counter[str], killed: set[str]) -> list[str]:
    """Return what is wrong once a cycle has counted the deliveries."""
    rule = rule_id(next(each.entry.id for each in home.look().entries if "plum1" in each.text))
    for each in home.partial_files():
        os.utime(each, (0, 0))
    assert home.run("cycle").returncode == 0
    with closing(app.wire().ledger()) as ledger:
        ledger.check()
        given = Counter(
            each.session for each in ledger.exposures.all() if each.subject == rule and each.event == "session-start"
        )
    found = [f"left behind: {each}" for each in home.partial_files()]
    found += [f"{name} was answered, and is counted {given[name]} times" for name in answered if given[name] != 1]
    found += [f"{name} was killed, and is counted {given[name]} times" for name in killed if given[name] > 1]
    if not answered:
        found.append("no session start was answered")
    return found + home.illnesses()


CHECKS = (
    Check(
        "T1", "hooks", "a killed hook answers by half, is counted twice or stops the next", kill_hooks, quick=1, full=40
    ),
)
