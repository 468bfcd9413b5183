"""Measures what a hook costs an agent's turn, compared with a bare interpreter; with --data also fix lookup accuracy.

Events are measured in turn with a bare `python -I -S -c pass`, the interpreter that the launcher starts (`bare_ms`), so
that other load affects both; `ratio` is the median of an event divided by the bare median, `parallel_ratio` the same of
eight at once. `within_bounds`: no ratio above 1.3, 1.5 for eight at once, and a prompt that recalls in at most 35 ms
(`recall_ms`). `guarded-call`: before a call, while there are guards somewhere.
`observe_ms`: events with nothing to deliver (end of a turn, a failure without a known fix). `answer_ms`: session start,
a failure with a known fix, a prompt, a prompt that asks for what was said before. `launcher_ms`: by how much a session
start is slower than the interpreter with the client alone. `unguarded_call_ms`: before a call, while there are no
guards. `work_ms`: CPU time alone. `coins_ms`: by how much the median session start is slower if trial assignments are
drawn, each start paired with one without. With `--data DIR` (a folder of transcripts) every failed call in it is passed
to the client's own code, in the snapshot of every context: `found` of those `known` whose signature has a fix there,
and how many fixes of another signature were named (`wrong`).
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wisen import app
from wisen.mining.signatures import signature_of
from wisen.model.event import Status
from wisen.model.hook import BUNDLE, Caller
from wisen.surfaces.hook.hook_store import HookStore
from wisen.surfaces.hook.matching_fixes import fixes_for
from wisen.system.interpreter import interpreter_path
from wisen.testing.transcripts import ClaudeTranscript
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Payload = dict[str, object]
    Once = Callable[[str], str]

RUNS = 200
AT_ONCE = 8
MAX_RATIO, MAX_PARALLEL_RATIO, MAX_RECALL = 1.3, 1.5, 35.0
"""The goals: medians relative to bare interpreters, and milliseconds."""
COMMAND = "shopctl deploy --environment staging --wait"
ERROR = "Exit code 2\nshopctl: error: unrecognized option '--wait'"


def run(options: argparse.Namespace) -> dict[str, object]:
    """Time the client as an agent runs it."""
    runs = min(RUNS, max(AT_ONCE, 20 + 90 * (options.repeat - 1)))
    with tempfile.TemporaryDirectory() as folder:
        home = prepare_home(Path(folder))
        events = event_runners(home, str(Path(folder) / "shop"))
        events["stop"]("check")  # it starts a cycle, which must not run beside the others
        wait_for_cycle(home)
        for name in ("session-start", "failure", "recall"):
            assert events[name]("check").strip(), "there was nothing to answer"
        measured = measure_in_turn({"bare": run_bare, **events}, runs)
        guarded = measure_guarded(home, events["before-call"], runs)
        at_once = [events[name] for name in ("session-start", "failure", "prompt", "unknown-failure")]
        bare_at_once, parallel = measure_parallel(at_once, runs)
        figures = {
            **summarize(measured, guarded),
            "parallel_bare": percentiles(bare_at_once),
            "parallel": percentiles(parallel),
            "parallel_ratio": round(percentiles(parallel)["p50"] / percentiles(bare_at_once)["p50"], 3),
            "python_hook_ms": percentiles(measure_runs(run_plain_hook, runs)),
            "work_ms": {
                name: cpu_time(each, min(40, runs))
                for name, each in (
                    ("bare", run_bare),
                    ("start", events["session-start"]),
                    ("fix", events["failure"]),
                    ("recall", events["recall"]),
                    ("ordinary", run_plain_hook),
                )
            },
            "coins_ms": trial_overhead(Path(folder), events["session-start"], runs),
            "launcher_ms": median_difference(
                direct_runner(home, "session-start", {"cwd": str(Path(folder) / "shop"), "source": "startup"}),
                events["session-start"],
                runs,
            ),
        }
        figures["within_bounds"] = is_within_bounds(figures)
    if options.data is not None:
        figures["fixes"] = check_fixes(options.data)
    return figures


def event_runners(home: Path, project: str) -> dict[str, Once]:
    """Return what runs each event, by the name under which it is reported."""
    place: Payload = {"cwd": project}
    listing: Payload = {"tool_name": "Bash", "tool_input": {"command": "ls"}}
    unknown = failure_payload("ls /none", "Exit code 2\nls: none: No such file")
    return {
        "session-start": hook_runner(home, "session-start", {**place, "source": "startup"}),
        "failure": hook_runner(home, "failure", {**place, **failure_payload(COMMAND, ERROR)}),
        "prompt": hook_runner(home, "prompt", {**place, "prompt": "deploy the shop to staging, please"}),
        "recall": hook_runner(home, "prompt", {**place, "prompt": "what did we say about pnpm last time?"}),
        "unknown-failure": hook_runner(home, "failure", {**place, **unknown}),
        "stop": hook_runner(home, "stop", place),
        "before-call": hook_runner(home, "before-call", {**place, **listing}),
    }


def summarize(measured: dict[str, list[float]], guarded: dict[str, list[float]]) -> dict[str, object]:
    """Return the figures of single events, each beside the bare runs that it was measured in turn with."""
    bare = percentiles(measured["bare"])
    names = {"start": "session-start", "fix": "failure", "prompt": "prompt", "recall": "recall", "stop": "stop"}
    by_event = {**names, "quiet": "unknown-failure"}
    answers = ("session-start", "failure", "prompt", "recall")
    ratios = {
        name: round(statistics.median(some) / statistics.median(those["bare"]), 3)
        for those in (measured, guarded)
        for name, some in those.items()
        if name not in ("bare", "recall")
    }
    return {
        "observe_ms": percentiles([*measured["stop"], *measured["unknown-failure"]]),
        "answer_ms": percentiles([each for name in answers for each in measured[name]]),
        "by_event": {
            **{name: percentiles(measured[of]) for name, of in by_event.items()},
            "guarded": percentiles(guarded["guarded-call"]),
        },
        "unguarded_call_ms": percentiles(measured["before-call"]),
        "recall_ms": percentiles(measured["recall"]),
        "bare_ms": bare,
        "ratio": ratios,
    }


def is_within_bounds(figures: dict[str, Any]) -> bool:
    """Whether the goals are met."""
    single = all(ratio <= MAX_RATIO for ratio in figures["ratio"].values())
    return single and figures["parallel_ratio"] <= MAX_PARALLEL_RATIO and figures["recall_ms"]["p50"] <= MAX_RECALL


def wait_for_cycle(home: Path) -> None:
    """Wait until the cycle that a hook started has ended; it holds a lock while it runs."""
    time.sleep(1)
    with (home / "cycle.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def measure_in_turn(each_once: dict[str, Once], runs: int) -> dict[str, list[float]]:
    """Return the milliseconds of each, one run of each after another."""
    found: dict[str, list[float]] = {name: [] for name in each_once}
    for number in range(runs):
        for name, once in each_once.items():
            found[name] += measure_runs(once, 1, f"turn {number} ")
    return found


def measure_guarded(home: Path, once: Once, runs: int) -> dict[str, list[float]]:
    """Return the milliseconds before a call while there may be guards, and bare runs in between."""
    mark = home / "snapshots" / "no-guards"
    mark.unlink()
    once("check")
    found = measure_in_turn({"bare": run_bare, "guarded-call": once}, runs)
    mark.touch()
    return found


def trial_overhead(folder: Path, start: Once, runs: int) -> float:
    """Return the milliseconds that a session start takes longer if a hint and a fix are on trial."""
    other = folder / "on trial"
    other.mkdir()
    home = prepare_home(other, WISEN_TRIALS_EXPERIMENTS="true")
    tried = hook_runner(home, "session-start", {"cwd": str(other / "shop"), "source": "startup"})
    tried("check")
    assert '"withheld"' in next((home / "snapshots" / "pins").iterdir()).read_text(), "no coin was thrown"
    return median_difference(start, tried, runs)


def median_difference(one: Once, other: Once, runs: int) -> float:
    """Return the median milliseconds that the other takes longer, in paired runs."""
    found = []
    for number in range(runs):
        order = (one, other) if number % 2 else (other, one)
        took = {each: measure_runs(each, 1, f"beside {number}")[0] for each in order}
        found.append(took[other] - took[one])
    found.sort()
    return round(found[len(found) // 2], 2)


def prepare_home(folder: Path, **environment: str) -> Path:
    """Create a home in which a correction and a fix were learned."""
    home, project = folder / "wisen", folder / "shop"
    project.mkdir()
    for number in (1, 2):
        log = ClaudeTranscript(number, cwd=str(project))
        log.prompt("deploy the shop to staging")
        log.bash(COMMAND, ERROR.partition("\n")[2], exit_code=2)
        log.bash(COMMAND.removesuffix(" --wait"), "deployed")
        log.prompt("no, from now on always use pnpm instead of npm")
        log.write(folder / "projects" / "shop")
    wires = app.wire(home, {"HOME": str(folder), **environment})
    with wires.learner() as learner:
        learner.learn(folder / "projects")
        learner.delivery.prepare_snapshots()
    wires.launcher().write([])
    return home


def hook_runner(home: Path, name: str, payload: Payload) -> Once:
    """A function that does what agents do at one event of a session, and gives what was printed."""
    return _command_runner(["/bin/sh", "-c", Caller(home=str(home)).command(name, "claude-code")], payload, home)


def direct_runner(home: Path, name: str, payload: Payload) -> Once:
    """The same without the launcher: what the interpreter and the client take alone."""
    command = [interpreter_path(), "-I", "-S", str(home / BUNDLE), "--home", str(home), name]
    return _command_runner(command, payload, home)


def _command_runner(command: list[str], payload: Payload, home: Path) -> Once:
    environment = {**os.environ, "HOME": str(home.parent)}  # a cycle that it starts reads no other logs

    def once(session: str) -> str:
        sent = json.dumps({"session_id": session, **payload})
        done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True, env=environment)
        return done.stdout

    return once


def run_bare(session: str) -> str:
    """Start the interpreter that the launcher starts, without any hook."""
    command = [interpreter_path(), "-I", "-S", "-c", "pass"]
    return subprocess.run(command, input=session, capture_output=True, text=True, check=True).stdout


def run_plain_hook(session: str) -> str:
    """Run a hook as it is usually written."""
    command = [sys.executable, "-c", "import json,sys; json.load(sys.stdin)"]
    return subprocess.run(command, input=f'{{"s":"{session}"}}', capture_output=True, text=True, check=True).stdout


def failure_payload(command: str, error: str) -> Payload:
    """Return the payload of a failed shell call."""
    return {"tool_name": "Bash", "tool_input": {"command": command}, "error": error, "is_interrupt": False}


def measure_runs(once: Once, runs: int, name: str = "") -> list[float]:
    """Return the milliseconds of each run, each in its own session."""
    found = []
    for number in range(runs):
        began = time.perf_counter()
        once(f"{name}{id(once)}-{number}")
        found.append((time.perf_counter() - began) * 1000)
    return found


def cpu_time(once: Once, runs: int) -> float:
    """Return the median CPU milliseconds of some runs: independent of other load."""
    found = []
    for number in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        once(f"work-{id(once)}-{number}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000)
    return round(sorted(found)[runs // 2], 1)


def measure_parallel(events: list[Once], runs: int) -> tuple[list[float], list[float]]:
    """Return the milliseconds of bare interpreters and of events, eight at once of the one and then of the other."""
    bare, found = list[float](), list[float]()
    with ThreadPoolExecutor(AT_ONCE) as crew:
        for number in range(max(1, runs // AT_ONCE)):
            for those, once in ((bare, [run_bare]), (found, events)):
                each = [
                    crew.submit(measure_runs, once[at % len(once)], 1, f"at once {number} {at} ")
                    for at in range(AT_ONCE)
                ]
                those += [one for some in each for one in some.result()]
    return bare, found


def percentiles(found: list[float]) -> dict[str, float]:
    """Return the median and the slow end."""
    ordered = sorted(found)
    return {"p50": round(ordered[len(ordered) // 2], 1), "p99": round(ordered[int(len(ordered) * 0.99)], 1)}


def check_fixes(data: Path) -> dict[str, int]:
    """Pass every failure to the client's code, in the snapshot of every context, and compare the signatures."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "wisen"
        wires = app.wire(home, {"HOME": folder})
        with wires.learner() as learner:
            learner.learn(data)
            learner.delivery.prepare_snapshots()
            histories = list(learner.histories())
            signatures = {fix.id: fix.signature for fix in learner.fixes.all()}
        store = HookStore(str(home), "claude-code", "s")
        current = json.loads((home / "snapshots" / "current.json").read_text())
        snapshots = [
            store.snapshots.content(digest) or {} for digest in {*current["contexts"].values(), current["global"]}
        ]
        counts = {"failures": 0, "known": 0, "found": 0, "wrong": 0}
        for step in (step for history in histories for step in history.steps):
            if step.status not in (Status.FAILED, Status.MASKED) or step.text is None:
                continue
            counts["failures"] += 1
            payload: Payload = {"tool_name": step.tool, "tool_input": fields_of(step.arguments), "error": step.text}
            right = signature_of(tool=step.tool, arguments=step.arguments, text=step.text)
            for snapshot in snapshots:
                fixes = snapshot["fixes"]
                assert isinstance(fixes, list)
                able = [each for each in fixes if _fix_applies(each, payload) and signatures[each["id"]] == right]
                named = fixes_for(payload, snapshot, store)
                counts["known"] += bool(able)
                counts["found"] += bool(able) and any(signatures[str(each["id"])] == right for each in named)
                counts["wrong"] += sum(signatures[str(each["id"])] != right for each in named)
    return counts


def _fix_applies(fix: dict[str, object], payload: Payload) -> bool:
    """Whether a fix is for such a call at all: its tool, the words it takes away, the one command it is known for."""
    match, fields = fix["match"], payload["tool_input"]
    assert isinstance(match, dict)
    assert isinstance(fields, dict)
    command = fields.get("command")
    if fix["tool"] != payload["tool_name"]:
        return False
    if not isinstance(command, str):
        return True
    same = "command" not in match or match["command"] == " ".join(command.split())
    return same and all(need in command for need in match.get("needs", ()))
