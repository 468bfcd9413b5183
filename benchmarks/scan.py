"""Measures log parsing speed, compared with json.loads, ripgrep and Node in the same run, and checks the counts.

Data: `--data DIR` with transcripts/*.jsonl, else sessions generated from a seed. Each figure is the best of several
runs in a separate process, on one core; `whole_turn_s` goes from opening the stores to the finished report. `rss_mb` is
the peak of the run that stores everything. `nothing_new` reads every byte and trusts no size or date, as
`wisen learn --recheck` does; the first such run (`first_recheck`) reads event by event and hashes the bytes.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import plain_count
from benchmarks.data import generate_transcripts, transcripts

if TYPE_CHECKING:
    import argparse

_LEARN = """
import json, resource, sys, time
from pathlib import Path
import wisen
began = time.perf_counter()
with wisen.open_learner(sys.argv[1], environment={"HOME": "/nonexistent"}) as learner:
    report = learner.learn(Path(sys.argv[2]), recheck=sys.argv[3] == "recheck")
seconds = time.perf_counter() - began
c = report.counts
print(json.dumps({
    "seconds": seconds, "reading_s": report.reading_seconds,
    "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    "new_events": report.new_events, "sessions": c.sessions, "typed_turns": c.typed_turns, "rejections": c.rejections,
    "interrupts": c.interrupts, "calls": sum(t.calls for t in c.tools), "tool_errors": sum(t.failed for t in c.tools),
    "cancelled": sum(t.cancelled for t in c.tools), "masked": sum(t.masked for t in c.tools),
}))
"""
_JSON_LOADS = """
import json, sys, time
from pathlib import Path
began = time.perf_counter()
for file in Path(sys.argv[1]).rglob("*.jsonl"):
    with file.open("rb") as lines:
        for line in lines:
            try: json.loads(line)
            except ValueError: pass
print(json.dumps({"seconds": time.perf_counter() - began}))
"""
_NODE = """
const fs = require("fs"), path = require("path");
const began = process.hrtime.bigint();
for (const name of fs.readdirSync(process.argv[1])) {
  if (!name.endsWith(".jsonl")) continue;
  for (const line of fs.readFileSync(path.join(process.argv[1], name), "utf8").split("\\n")) {
    try { JSON.parse(line) } catch {}
  }
}
console.log(JSON.stringify({seconds: Number(process.hrtime.bigint() - began) / 1e9}));
"""


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    with tempfile.TemporaryDirectory(prefix="wisen-bench-") as scratch:
        work = Path(scratch)
        real = options.data is not None
        folder = transcripts(options.data) if real else generate_transcripts(work / "made", options.megabytes)
        megabytes = sum(file.stat().st_size for file in folder.rglob("*.jsonl")) / 1e6
        stored, summed, again = _learn(folder, work, options.repeat)
        peers = {
            "json_loads": _best([sys.executable, "-c", _JSON_LOADS, str(folder)], options.repeat),
            "node": _node(folder, options.repeat),
            "ripgrep": _ripgrep(folder, options.repeat),
        }
        speed = {
            "nothing_new": megabytes / again["reading_s"],
            "store_all": megabytes / stored["reading_s"],
            "first_recheck": megabytes / summed["reading_s"],
            **{name: megabytes / seconds if seconds else None for name, seconds in peers.items()},
        }
        loads = speed["json_loads"] or 1.0
        return {
            "megabytes": megabytes,
            "real_data": real,
            "mb_per_s": speed,
            "ratio_to_json_loads": {name: value / loads if value else None for name, value in speed.items()},
            "rss_mb": stored["rss_mb"],
            "whole_turn_s": {"nothing_new": again["seconds"], "store_all": stored["seconds"]},
            "new_events": {"store_all": stored["new_events"], "nothing_new": again["new_events"]},
            "counts": _agreement(stored, plain_count.count(folder)),
        }


def _agreement(ours: dict[str, float], plain: dict[str, int]) -> dict[str, object]:
    """Ours beside the independent count."""
    names = ("calls", "tool_errors", "rejections", "interrupts", "cancelled", "typed_turns")
    return {name: {"wisen": ours[name], "independent": plain.get(name, 0)} for name in names}


def _learn(folder: Path, work: Path, repeat: int) -> list[dict[str, float]]:
    """Learning everything into an empty home; then twice again with every event known and no size or date trusted."""
    stored: list[dict[str, float]] = []
    summed: list[dict[str, float]] = []
    again: list[dict[str, float]] = []
    for number in range(repeat):
        home = work / f"home{number}"
        command = [sys.executable, "-c", _LEARN, str(home), str(folder)]
        stored.append(_figures([*command, "first"]))
        summed.append(_figures([*command, "recheck"]))
        again.append(_figures([*command, "recheck"]))
        shutil.rmtree(home)
    return [min(runs, key=lambda figures: figures["reading_s"]) for runs in (stored, summed, again)]


def _figures(command: list[str]) -> dict[str, float]:
    answer = subprocess.run(command, check=True, capture_output=True, text=True, env=_one_core()).stdout
    figures: dict[str, float] = json.loads(answer)
    return figures


def _best(command: list[str], repeat: int) -> float:
    return min(_figures(command)["seconds"] for _ in range(repeat))


def _node(folder: Path, repeat: int) -> float | None:
    node = shutil.which("node")
    return _best([node, "-e", _NODE, str(folder)], repeat) if node else None


def _ripgrep(folder: Path, repeat: int) -> float | None:
    rg = shutil.which("rg")
    if rg is None:
        return None
    timed = (
        "import json,subprocess,sys,time;b=time.perf_counter();"
        "subprocess.run([sys.argv[1],'-j1','-c','--no-ignore','\"type\":\"user\"',sys.argv[2]],stdout=-3);"
        "print(json.dumps({'seconds':time.perf_counter()-b}))"
    )
    return _best([sys.executable, "-c", timed, rg, str(folder)], repeat)


def _one_core() -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "UV_THREADPOOL_SIZE": "1"}
