"""Replays guards over real sessions in chronological order: when each is proposed, and what it would match.

`proposed`: by the number of failing sessions before it, what the past said then, and what all sessions say, including
later ones; `good_hit_later`: good calls that guards would have blocked after they were proposed. `backtest_ms`: one
guard over all sessions. `live_ms`: what the client's own code takes before a call with no guard, one, and 1,000 of
them, none of which matches, and one that matches among 1,000.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import MissingDataError
from wisen import app
from wisen.delivery.guard_sheets import encode_guards
from wisen.delivery.hook_snapshot import digest
from wisen.model.entry import ProposalType
from wisen.model.guard import Guard, GuardSource, GuardState, Mode, guard_id, guard_version
from wisen.surfaces.hook.guard_rulings import evaluate_guards
from wisen.surfaces.hook.hook_store import HookStore

if TYPE_CHECKING:
    import argparse

    from wisen.learner import Learner

ROUNDS = 300


def run(options: argparse.Namespace) -> dict[str, object]:
    """Replay the sessions, and time the client."""
    figures: dict[str, object] = {"live_ms": measure_live()}
    if options.data is None:
        return figures
    logs = options.data / "transcripts"
    if not logs.is_dir():
        raise MissingDataError(f"{logs} is no folder. Give --data a folder that holds transcripts/.")
    with tempfile.TemporaryDirectory() as folder:
        return replay(logs, Path(folder)) | figures


def replay(logs: Path, folder: Path) -> dict[str, object]:
    """Read the sessions in the order of time, and note when guards are proposed."""
    paths = sorted(logs.rglob("*.jsonl"), key=_start_of)
    seen, home = folder / "logs", folder / "home"
    seen.mkdir()
    proposed: dict[str, dict[str, object]] = {}
    for number, path in enumerate(paths, 1):
        (seen / path.name).symlink_to(path)
        with app.wire(home, {"WISEN_HOME": str(home), "HOME": str(folder)}).learner() as learner:
            learner.learn(seen, judge=False)
            _record_proposals(learner, proposed, number)
    with app.wire(home, {"WISEN_HOME": str(home), "HOME": str(folder)}).learner() as learner:
        began = time.perf_counter()
        for guard, proposal in proposed.items():
            whole = learner.guards.backtest(guard)[1]
            proposal["over_all"] = _figures(whole)
            proposal["good_hit_later"] = whole.good
        took = (time.perf_counter() - began) * 1000 / max(len(proposed), 1)
    return {
        "sessions": len(paths),
        "guards": len(proposed),
        "proposed": list(proposed.values()),
        "good_hit_later": sum(int(str(each["good_hit_later"])) for each in proposed.values()),
        "backtest_ms": round(took, 1),
    }


def measure_live() -> dict[str, float]:
    """Milliseconds before a call, in the client's own code and in this process."""
    found = {}
    for name, many, command in (
        ("none", 0, "bun run test"),
        ("one", 1, "bun run test"),
        ("thousand", 1000, "bun run test"),
        ("one_fits", 1, "tool7 go --fast"),
        ("thousand_one_fits", 1000, "tool7 go --fast"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            found[name] = _time_call(Path(folder), many, command)
    return found


def _time_call(home: Path, many: int, command: str) -> float:
    sheet = encode_guards([_guard(number) for number in range(7, 7 + many)], "", {})
    (home / "snapshots").mkdir()
    current: dict[str, object] = {"version": 1, "guards": {"": digest(sheet)} if sheet else {}}
    (home / "snapshots" / "current.json").write_text(json.dumps(current))
    if sheet:
        (home / "snapshots" / f"{digest(sheet)}.json").write_bytes(sheet)
    payload: dict[str, object] = {"tool_name": "Bash", "tool_input": {"command": command}, "cwd": str(home)}
    store, times = HookStore(str(home), "claude-code", "s"), []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = evaluate_guards(payload, store, {})
        times.append((time.perf_counter() - began) * 1000)
        assert (answer is not None) == (bool(many) and command.startswith("tool7"))
    return round(statistics.median(times), 3)


def _guard(number: int) -> GuardState:
    watch, better = f"shell: tool{number} go --fast", f"tool{number} go"
    guard = Guard(
        id=guard_id("", watch),
        version=guard_version(watch, better, Mode.DENY),
        machine="desk",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        context="",
        watch=watch,
        better=better,
        reason=f"tool{number} has no such option any more, and says so after a minute",
        source=GuardSource.HAND,
        action=Mode.DENY,
    )
    return GuardState(guard=guard, mode=Mode.DENY, since=guard.at)


def _record_proposals(learner: Learner, proposed: dict[str, dict[str, object]], number: int) -> None:
    for each in learner.proposals.all():
        proposal = each.proposal
        if proposal.type is ProposalType.GUARD and proposal.entry not in proposed:
            tested = proposal.backtest
            proposed[proposal.entry] = {
                "guard": proposal.text,
                "after_sessions": number,
                "failing_sessions": tested.helped if tested else 0,
                "then": _figures(tested),
            }


def _figures(tested: object) -> dict[str, object]:
    names = ("sessions", "calls", "met", "masked", "bad", "good", "open", "helped", "low")
    return {name: getattr(tested, name) for name in names} if tested is not None else {}


def _start_of(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return head.partition(b'"timestamp":"')[2].partition(b'"')[0].decode("ascii", "replace")
