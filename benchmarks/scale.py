"""Measures how the cost of each command grows with what a home already holds: 10^4 to 10^6 events, 10^7 with --full.

A user with 60 projects is generated from a seed (`scale_logs.py`), at the density of real sessions: about 8 KB of log
per event, 0.8 KB for 10^7. Every figure is the wall time of the real command in a process of its own: `first_learn_s`
into an empty home; `learn_again_s` with nothing new; `learn_one_s` with one new session; `cycle_quick_s` with another,
as at the end of a session; `forget_s` of a text that was typed. `hook_ms` and `recall_ms` are the medians of a prompt
through the installed hook command, without and with a memory to recall. `node` parses the same bytes in the same run,
which `store` (reading and storing, without learning) should beat. `growth` is the exponent between the two largest
sizes: 0 is constant, 1 is linear.
"""

from __future__ import annotations

import json
import math
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.hooks import hook_runner, measure_runs, percentiles
from benchmarks.scale_logs import EVENTS_PER_SESSION, GeneratedUser
from wisen import app

if TYPE_CHECKING:
    import argparse

_SIZES, _LARGEST = (10_000, 100_000, 1_000_000), 10_000_000
_BYTES, _FEWER_BYTES = 8_000, 800
"""Of log per event: as in real sessions, and where that would not fit on a disk."""
_SPARE_DISK = 2.0
_MAIN = "from wisen.surfaces.cli import main; main()"
_HOOK_RUNS = 30
_LIMITS = {
    "learn_again_s": 0.5,
    "learn_one_s": 1.0,
    "cycle_quick_s": 1.5,
    "status_s": 0.4,
    "review_s": 0.5,
    "rules_s": 0.5,
    "fixes_s": 0.5,
    "forget_s": 5.0,
    "rss_mb": 200.0,
}
"""At a million events."""
_NODE = """
const fs = require("fs"), path = require("path");
const began = process.hrtime.bigint();
const walk = folder => { for (const each of fs.readdirSync(folder, {withFileTypes: true})) {
  const name = path.join(folder, each.name);
  if (each.isDirectory()) walk(name);
  else for (const line of fs.readFileSync(name, "utf8").split("\\n")) { try { JSON.parse(line) } catch {} }
} };
walk(process.argv[1]);
console.log(Number(process.hrtime.bigint() - began) / 1e9);
"""


@dataclass
class _Home:
    """A generated user and the commands they run."""

    user: GeneratedUser

    @property
    def home(self) -> Path:
        return self.user.root / "wisen"

    @property
    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.user.root), "WISEN_HOME": str(self.home), "PATH": os.environ["PATH"]}

    def run(self, *arguments: str, typed: str = "", project: Path | None = None) -> tuple[float, str]:
        """Run a command as the user does; return its seconds and what it printed."""
        began = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", _MAIN, *arguments],
            cwd=project or self.user.root,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        printed, errors = process.communicate(typed)
        seconds = time.perf_counter() - began
        if process.returncode not in (0, 3):
            raise RuntimeError(f"wisen {' '.join(arguments)} ended with {process.returncode}: {errors[-500:]}")
        return seconds, printed


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of every size."""
    sizes = [int(each) for each in options.sizes.split(",")] if options.sizes else [*_SIZES]
    if options.full:
        sizes.append(_LARGEST)
    figures = {f"{events}": _measure(events, options.repeat) for events in sizes}
    result: dict[str, object] = {"sizes": figures}
    if len(sizes) > 1:
        result["growth"] = _growth(sizes[-2:], figures)
    if "1000000" in figures:
        million = figures["1000000"]
        result["within_limits"] = {name: million[name] <= limit for name, limit in _LIMITS.items()}
    return result


def _growth(sizes: list[int], figures: dict[str, dict[str, Any]]) -> dict[str, float]:
    small, large = (figures[f"{events}"] for events in sizes)
    times = [name for name in small if name.endswith(("_s", "_ms")) and small[name] and large[name]]
    return {name: round(math.log(large[name] / small[name], sizes[1] / sizes[0]), 2) for name in times}


def _measure(events: int, repeat: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="wisen-scale-") as scratch:
        fits = shutil.disk_usage(scratch).free > _SPARE_DISK * events * _BYTES and events < _LARGEST
        user = GeneratedUser(
            root=Path(scratch),
            sessions=events // EVENTS_PER_SESSION,
            now=datetime.now(UTC),
            bytes_per_event=_BYTES if fits else _FEWER_BYTES,
        )
        user.write_projects()
        written = user.write_sessions(0, user.sessions)
        print(f"{events:,} events: {written / 1e6:,.0f} MB of logs written", file=sys.stderr)
        return _figures(_Home(user), written / 1e6, repeat)


def _figures(home: _Home, megabytes: float, repeat: int) -> dict[str, Any]:
    user, project = home.user, home.user.root / "src" / "payment-page"
    first, rss = _with_rss(home, "learn", "--json")
    report = json.loads(first[1])
    node = _node(user.logs)
    new = iter(range(user.sessions, user.sessions + 100))

    def best(*arguments: str, typed: str = "", one_more: bool = False) -> float:
        found = []
        for _ in range(repeat):
            if one_more:
                number = next(new)
                user.write_sessions(number, number + 1)
            found.append(home.run(*arguments, typed=typed, project=project)[0])
        return min(found)

    again, again_rss = _with_rss(home, "learn")
    figures = {
        "bytes_per_event": user.bytes_per_event,
        "new_events": report["new_events"],
        "first_learn_s": first[0],
        "store_mb_per_s": megabytes / report["reading_seconds"],
        "node_mb_per_s": None if node is None else megabytes / node,
        "learn_again_s": min(again[0], best("learn")),
        "learn_one_s": best("learn", one_more=True),
        "cycle_first_s": home.run("cycle")[0],
        "cycle_quick_s": best("cycle", "--quick", one_more=True),
        "cycle_again_s": best("cycle"),
        "status_s": best("status"),
        "review_s": best("review", typed="q\n"),
        "rules_s": best("rules"),
        "fixes_s": best("fixes"),
        "recall_command_s": best("recall", "what did we say about the invoice service"),
        **_hooks(home, project),
        "first_learn_rss_mb": rss,
        "rss_mb": max(rss, again_rss),
        "home_mb": sum(file.stat().st_size for file in home.home.rglob("*") if file.is_file()) / 1e6,
    }
    figures["forget_s"] = _forget(home)
    return figures


def _with_rss(home: _Home, *arguments: str) -> tuple[tuple[float, str], float]:
    """Run a command; return what `run` returns, and its largest resident set in MB."""
    report = home.user.root / "rusage"
    code = (
        "import resource, subprocess, sys;"
        "ended = subprocess.run([sys.executable, '-c', sys.argv[2], *sys.argv[3:]]);"
        "open(sys.argv[1], 'w').write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024));"
        "sys.exit(ended.returncode)"
    )
    began = time.perf_counter()
    command = [sys.executable, "-c", code, str(report), _MAIN, *arguments]
    ended = subprocess.run(
        command, check=False, env=home.environment, cwd=home.user.root, capture_output=True, text=True
    )
    if ended.returncode not in (0, 3):
        raise RuntimeError(f"wisen {' '.join(arguments)} ended with {ended.returncode}: {ended.stderr[-500:]}")
    return (time.perf_counter() - began, ended.stdout), float(report.read_text())


def _hooks(home: _Home, project: Path) -> dict[str, float]:
    """Return the medians of a prompt through the hook command."""
    app.wire(home.home, home.environment).launcher().write([])
    plain: dict[str, object] = {"cwd": str(project), "prompt": "add the invoice page and look at the payment"}
    asking: dict[str, object] = {"cwd": str(project), "prompt": "what did we say about the invoice service last time?"}
    return {
        name: percentiles(measure_runs(hook_runner(home.home, "prompt", payload), _HOOK_RUNS))["p50"]
        for name, payload in (("hook_ms", plain), ("recall_ms", asking))
    }


def _forget(home: _Home) -> float:
    """Return the seconds of forgetting a lesson's text in every project."""
    lessons = json.loads(home.run("lessons", "--json")[1])["entries"]
    text = next(each["text"] for each in lessons if each["name"].startswith("LRN"))
    began = time.perf_counter()
    code = _in_terminal(home, "forget", text, "--scope", "all", "--yes")
    if code:
        raise RuntimeError(f"wisen forget ended with {code}")
    return time.perf_counter() - began


def _in_terminal(home: _Home, *arguments: str) -> int:
    """Run a command in a terminal of its own, as a person does, who alone may forget; return its exit code."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(home.user.root)
        os.execve(sys.executable, [sys.executable, "-c", _MAIN, *arguments], home.environment)
    with suppress(OSError):  # Linux ends a terminal with an error
        while os.read(terminal, 1 << 16):
            pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _node(folder: Path) -> float | None:
    node = shutil.which("node")
    if node is None:
        return None
    return float(subprocess.run([node, "-e", _NODE, str(folder)], check=True, capture_output=True, text=True).stdout)
