"""Predicts the order of tools in tau-bench: from what customers ask, by successful runs of other tasks.

Whole tasks are left out (five parts). Only the first message of the customer is known, and the gold
actions are what counts.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.intervals import mean_with_interval
from wisen.model.workflow import RunStep, StepKind, WorkflowRun
from wisen.workflows.step_sequences import sequence_f1
from wisen.workflows.typical_run import typical_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_PARTS = 5
_START, _END = "^", "$"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


class _Attempt(NamedTuple):
    task: int
    succeeded: bool
    asked: str
    tools: tuple[str, ...]
    gold: tuple[str, ...]


def measure(folder: Path) -> dict[str, object] | None:
    """Return the sequence F1 of the prediction and of two baselines, on tasks with odd numbers; None without data."""
    domains = {
        name: [
            _attempt(each) for path in sorted(folder.glob(f"*{name}*.json")) for each in json.loads(path.read_text())
        ]
        for name in ("airline", "retail")
    }
    if not any(domains.values()):
        return None
    scores: dict[str, list[tuple[float, float, float]]] = {
        name: list(_scores(attempts)) for name, attempts in domains.items()
    }
    together = [each for found in scores.values() for each in found]
    ours, frequent, markov = ([each[column] for each in together] for column in range(3))
    best = max(frequent, markov, key=sum)
    return {
        "tasks": len(together),
        "sequence_f1": mean_with_interval(ours),
        "baseline_f1": mean_with_interval(best),
        "most_frequent": mean_with_interval(frequent),
        "markov2": mean_with_interval(markov),
        "difference": mean_with_interval([a - b for a, b in zip(ours, best, strict=True)]),
        **{name: mean_with_interval([each[0] for each in found]) for name, found in scores.items()},
    }


def _read(folder: Path, domain: str) -> list[_Attempt]:
    files = sorted(folder.glob(f"*{domain}*.json"))
    return [_attempt(each) for path in files for each in json.loads(path.read_text(encoding="utf-8"))]


def _scores(attempts: Sequence[_Attempt]) -> Iterable[tuple[float, float, float]]:
    tasks = sorted({each.task for each in attempts})
    for part in range(_PARTS):
        left_out = set(tasks[part::_PARTS])
        known = [each for each in attempts if each.task not in left_out and each.succeeded and each.tools]
        frequent = Counter(each.tools for each in known).most_common(1)[0][0]
        markov = _markov(known)
        runs = [_run(number, each) for number, each in enumerate(known)]
        for task in sorted(task for task in left_out if task % 2):
            each = next(each for each in attempts if each.task == task)
            found = typical_run(each.asked, runs)
            ours = [step.key for step in found.steps] if found is not None else []
            yield (
                sequence_f1(ours, each.gold),
                sequence_f1(frequent, each.gold),
                sequence_f1(markov, each.gold),
            )


def _markov(known: Sequence[_Attempt]) -> list[str]:
    """Return the most likely sequence, tool by tool, after the two before each; as long as the median run at most."""
    longest = median(len(each.tools) for each in known)
    following: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for each in known:
        tools = (_START, _START, *each.tools, _END)
        for at in range(2, len(tools)):
            following[tools[at - 2], tools[at - 1]][tools[at]] += 1
    found = [_START, _START]
    while len(found) < longest + 2 and (after := following[found[-2], found[-1]].most_common(1)[0][0]) != _END:
        found.append(after)
    return found[2:]


def _run(number: int, attempt: _Attempt) -> WorkflowRun:
    at = _AT + timedelta(minutes=number)
    return WorkflowRun(
        session=number,
        agent="tau-bench",
        native=str(number),
        request=str(number),
        asked=attempt.asked,
        context="",
        at=at,
        ended=at,
        steps=tuple(RunStep(key=tool, kind=StepKind.TOOL) for tool in attempt.tools),
    )


def _attempt(record: dict[str, Any]) -> _Attempt:
    messages = record["traj"]
    asked = next(each["content"] for each in messages if each["role"] == "user")
    return _Attempt(
        record["task_id"],
        record["reward"] >= 1,
        " ".join(asked.split()),
        tuple(tool for each in messages if each["role"] == "assistant" for tool in _tools(each)),
        tuple(each["name"] for each in record["info"]["task"]["actions"]),
    )


def _tools(message: dict[str, Any]) -> list[str]:
    if message.get("tool_calls"):
        return [each["function"]["name"] for each in message["tool_calls"]]
    _, _, action = str(message.get("content") or "").partition("Action:")
    try:
        name = json.loads(action.strip().partition("\n")[0])["name"]
    except (ValueError, KeyError, TypeError):
        return []
    return [] if name == "respond" else [name]
