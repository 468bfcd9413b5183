"""Measures what a hook costs an agent's turn, compared with a plain Python hook; with --data also fix lookup accuracy.

`observe_ms`: events with nothing to deliver (end of a turn, a failure without a known fix). `answer_ms`: session start,
a failure with a known fix, a prompt, a prompt that asks for what was said before. `parallel`: eight at once.
`launcher_ms`: by how much a session start is slower than the interpreter with the client alone. `unguarded_call_ms`:
before a call, while there are no guards. `work_ms`: CPU time alone. `coins_ms`: by how much the median session start is
slower if trial assignments are drawn, each start paired with one without. With `--data DIR` (a folder of transcripts)
every failed call in it is passed to the client's own code, in the snapshot of every context: `found` of those `known`
whose signature has a fix there, and how many fixes of another signature were named (`wrong`).
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.mining.signatures import signature_of
from wisen.model.event import Status
from wisen.model.hook import Caller
from wisen.surfaces.hook import client
from wisen.surfaces.hook.hook_store import HookStore
from wisen.surfaces.hook.matching_fixes import fixes_for
from wisen.testing.transcripts import ClaudeTranscript
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    import argparse

    Payload = dict[str, object]

RUNS = 200
AT_ONCE = 8
COMMAND = "shopctl deploy --environment staging --wait"
ERROR = "Exit code 2\nshopctl: error: unrecognized option '--wait'"


def run(options: argparse.Namespace) -> dict[str, object]:
    """Time the client as an agent runs it."""
    runs = min(RUNS, max(AT_ONCE, 20 + 90 * (options.repeat - 1)))
    with tempfile.TemporaryDirectory() as folder:
        home = prepare_home(Path(folder))
        project = str(Path(folder) / "shop")
        start = hook_runner(home, "session-start", {"cwd": project, "source": "startup"})
        fix = hook_runner(home, "failure", {"cwd": project, **failure_payload(COMMAND, ERROR)})
        prompt = hook_runner(home, "prompt", {"cwd": project, "prompt": "deploy the shop to staging, please"})
        recall = hook_runner(home, "prompt", {"cwd": project, "prompt": "what did we say about pnpm last time?"})
        quiet = hook_runner(
            home, "failure", {"cwd": project, **failure_payload("ls /none", "Exit code 2\nls: none: No such file")}
        )
        stop = hook_runner(home, "stop", {"cwd": project})
        asked = {"start": start, "fix": fix, "prompt": prompt, "recall": recall}
        for name in ("start", "fix", "recall"):
            assert asked[name]("check").strip(), "there was nothing to answer"
        answers = {name: measure_runs(each, runs) for name, each in asked.items()}
        observes = {name: measure_runs(each, runs) for name, each in (("stop", stop), ("quiet", quiet))}
        figures: dict[str, object] = {
            "observe_ms": percentiles([each for some in observes.values() for each in some]),
            "answer_ms": percentiles([each for some in answers.values() for each in some]),
            "by_event": {name: percentiles(some) for name, some in (answers | observes).items()},
            "python_hook_ms": percentiles(measure_runs(run_plain_hook, runs)),
            "work_ms": {
                name: cpu_time(each, min(40, runs))
                for name, each in (("start", start), ("fix", fix), ("recall", recall), ("ordinary", run_plain_hook))
            },
            "coins_ms": trial_overhead(Path(folder), start, runs),
            "launcher_ms": median_difference(
                direct_runner(home, "session-start", {"cwd": project, "source": "startup"}), start, runs
            ),
            "unguarded_call_ms": percentiles(
                measure_runs(hook_runner(home, "before-call", {"cwd": project, "tool_name": "Bash"}), runs)
            ),
            "parallel": percentiles(measure_parallel([start, fix, prompt, quiet], runs)),
        }
        figures["within_bounds"] = all(
            percentiles(answers[name])["p50"] <= bound
            for name, bound in (("start", 25), ("fix", 25), ("prompt", 100), ("recall", 100))
        )
    if options.data is not None:
        figures["fixes"] = check_fixes(options.data)
    return figures


def trial_overhead(folder: Path, start, runs: int) -> float:  # type: ignore[no-untyped-def]
    """Return the milliseconds that a session start takes longer if a hint and a fix are on trial."""
    other = folder / "on trial"
    other.mkdir()
    home = prepare_home(other, WISEN_TRIALS_EXPERIMENTS="true")
    tried = hook_runner(home, "session-start", {"cwd": str(other / "shop"), "source": "startup"})
    tried("check")
    assert '"withheld"' in next((home / "snapshots" / "pins").iterdir()).read_text(), "no coin was thrown"
    return median_difference(start, tried, runs)


def median_difference(one, other, runs: int) -> float:  # type: ignore[no-untyped-def]
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


def hook_runner(home: Path, name: str, payload: Payload):  # type: ignore[no-untyped-def]
    """A function that does what agents do at one event of a session, and gives what was printed."""
    return _command_runner(["/bin/sh", "-c", Caller(home=str(home)).command(name, "claude-code")], payload)


def direct_runner(home: Path, name: str, payload: Payload):  # type: ignore[no-untyped-def]
    """The same without the launcher: what the interpreter and the client take alone."""
    return _command_runner([sys.executable, "-I", "-S", client.__file__, "--home", str(home), name], payload)


def _command_runner(command: list[str], payload: Payload):  # type: ignore[no-untyped-def]
    def once(session: str) -> str:
        sent = json.dumps({"session_id": session, **payload})
        return subprocess.run(command, input=sent, capture_output=True, text=True, check=True).stdout

    return once


def run_plain_hook(session: str) -> str:
    """Run a hook as it is usually written."""
    command = [sys.executable, "-c", "import json,sys; json.load(sys.stdin)"]
    return subprocess.run(command, input=f'{{"s":"{session}"}}', capture_output=True, text=True, check=True).stdout


def failure_payload(command: str, error: str) -> Payload:
    """Return the payload of a failed shell call."""
    return {"tool_name": "Bash", "tool_input": {"command": command}, "error": error, "is_interrupt": False}


def measure_runs(once, runs: int, name: str = "") -> list[float]:  # type: ignore[no-untyped-def]
    """Return the milliseconds of each run, each in its own session."""
    found = []
    for number in range(runs):
        began = time.perf_counter()
        once(f"{name}{id(once)}-{number}")
        found.append((time.perf_counter() - began) * 1000)
    return found


def cpu_time(once, runs: int) -> float:  # type: ignore[no-untyped-def]
    """Return the median CPU milliseconds of some runs: independent of other load."""
    found = []
    for number in range(runs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        once(f"work-{id(once)}-{number}")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000)
    return round(sorted(found)[runs // 2], 1)


def measure_parallel(events: list, runs: int) -> list[float]:  # type: ignore[type-arg]
    """Return the milliseconds of runs, eight of them at once."""
    with ThreadPoolExecutor(AT_ONCE) as crew:
        each = [crew.submit(measure_runs, events[number % len(events)], runs // AT_ONCE) for number in range(AT_ONCE)]
        return [one for some in each for one in some.result()]


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
