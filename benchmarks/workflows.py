"""Measures workflows: what repeats in real sessions, how far later ones follow it, the order of tools in tau-bench.

Data: `--data DIR` with transcripts/*.jsonl, and codex/*.jsonl and tau-bench/*.json if they are there. Workflows are
learned from the first 70% of the sessions of each project and compared with the others; what is listed was chosen by
reading the patterns of all these sessions. The settings for tau-bench were chosen on its tasks with even numbers, and
the figures are of the others. The precision of matching is only given if `labels/workflow_prompts.jsonl` has verdicts
on prompts of the data.
"""

from __future__ import annotations

import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

import wisen
from benchmarks import tau_bench
from benchmarks.data import json_lines, transcripts
from benchmarks.intervals import mean_with_interval
from wisen.kernel.request_words import asks_for_work
from wisen.mining.goals import goals_of
from wisen.mining.session_runs import workflow_runs
from wisen.model.workflow import StepUse
from wisen.workflows.describe_patterns import ListingPolicy, describe_patterns
from wisen.workflows.find_patterns import FinderState, PatternFinder, PatternPolicy, find_patterns
from wisen.workflows.match_request import match_request
from wisen.workflows.step_sequences import fold_repeats, sequence_f1
from wisen.workflows.stored_workflows import workflows_of
from wisen.workflows.typical_run import typical_run

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from wisen.model.history import History
    from wisen.model.workflow import WorkflowRun

_TRAINING = 0.7
_LABELS = Path(__file__).parent / "labels" / "workflow_prompts.jsonl"


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    histories = _read(transcripts(options.data), options.data / "codex")
    began = time.perf_counter()
    runs = [each for history in histories for each in workflow_runs(history, goals_of(history))]
    mining = time.perf_counter() - began
    projects = _by_context(runs)
    began = time.perf_counter()
    listed = {context: workflows_of(each) for context, each in projects.items()}
    finding = time.perf_counter() - began
    return {
        "sessions": len(histories),
        "runs": len(runs),
        "patterns": sum(map(len, listed.values())),
        "heldout": _held_out(projects.values()),
        "rolling": _rolling(projects.values()),
        "tau_bench": tau_bench.measure(options.data / "tau-bench"),
        "precision": _precision(projects),
        "seconds": {"runs": mining, "patterns": finding, "update": max(map(_update, projects.values()), default=0.0)},
    }


def _read(*folders: Path) -> list[History]:
    """Return the sessions of each folder; an index numbers sessions from one, so later ones are numbered on."""
    found: list[History] = []
    for folder in folders:
        if not folder.is_dir():
            continue
        with (
            tempfile.TemporaryDirectory() as home,
            wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
        ):
            learner.learn(folder, judge=False)
            found += learner.histories()
    return found


def _by_context(runs: Iterable[WorkflowRun]) -> dict[str, list[WorkflowRun]]:
    found: dict[str, list[WorkflowRun]] = defaultdict(list)
    for each in runs:
        found[each.context].append(each)
    return found


def _update(runs: Sequence[WorkflowRun]) -> float:
    """Return how long the last session of a project takes, when the others are known."""
    *before, last = _in_order(runs)
    state = msgspec.json.encode(find_patterns([each for some in before for each in some], PatternPolicy()).state)
    began = time.perf_counter()
    finder = PatternFinder(PatternPolicy(), msgspec.json.decode(state, type=FinderState))
    for each in last:
        finder.add(each)
    describe_patterns(finder, ListingPolicy())
    msgspec.json.encode(finder.state)
    return time.perf_counter() - began


def _in_order(runs: Iterable[WorkflowRun]) -> list[list[WorkflowRun]]:
    """Return the runs of each session, the sessions by their first run."""
    sessions: dict[str, list[WorkflowRun]] = defaultdict(list)
    for each in sorted(runs, key=lambda each: (each.at, each.request)):
        sessions[each.native].append(each)
    return list(sessions.values())


def _held_out(projects: Iterable[list[WorkflowRun]]) -> dict[str, object]:
    """Return F1 on the last 30% of the sessions of each project, learned from the first 70%."""
    compared = []
    for runs in projects:
        sessions = _in_order(runs)
        cut = int(len(sessions) * _TRAINING)
        before = [each for session in sessions[:cut] for each in session]
        compared += _compare(before, [each for session in sessions[cut:] for each in session])
    return _figures(compared)


def _rolling(projects: Iterable[list[WorkflowRun]]) -> dict[str, object]:
    """Return F1 on every session, learned from all earlier ones of its project."""
    compared = []
    for runs in projects:
        sessions = _in_order(runs)
        for at, session in enumerate(sessions):
            compared += _compare([each for earlier in sessions[:at] for each in earlier], session)
    return _figures(compared)


def _compare(before: Sequence[WorkflowRun], later: Iterable[WorkflowRun]) -> list[tuple[float, float, float]]:
    """Return F1 of the workflow's steps, of its most typical run and of the nearest run, for requests that match."""
    workflows = workflows_of(before)
    by_request = {each.request: each for each in before}
    found = []
    for each in later:
        matched = match_request(each.asked, workflows)
        nearest = typical_run(each.asked, before, nearest=1)
        if matched and nearest is not None:
            taken = _keys(each)
            members = [by_request[request] for request in matched[0].workflow.runs]
            typical = typical_run(each.asked, members)
            steps = [step.key for step in matched[0].workflow.steps if step.use is not StepUse.SOMETIMES]
            found.append(
                (
                    sequence_f1(steps, taken),
                    sequence_f1(_keys(typical), taken) if typical else 0.0,
                    sequence_f1(_keys(nearest), taken),
                )
            )
    return found


def _keys(each: WorkflowRun) -> tuple[str, ...]:
    return fold_repeats(step.key for step in each.steps)[0]


def _figures(compared: Sequence[tuple[float, float, float]]) -> dict[str, object]:
    names = ("step_f1", "typical_run_f1", "nearest_run_f1")
    columns = dict(zip(names, zip(*compared, strict=True), strict=False)) if compared else {}
    differences = [ours - theirs for ours, _, theirs in compared]
    return {
        "n": len(compared),
        **{name: mean_with_interval(columns.get(name, ())) for name in names},
        "difference": mean_with_interval(differences),
    }


def _precision(projects: dict[str, list[WorkflowRun]]) -> dict[str, object]:
    """Return how many of the workflows that prompts get, known from earlier sessions alone, are the right ones.

    A label names a prompt (`request`) and earlier ones with the same goal (`same`): the workflow has one.
    """
    labels = {each["request"]: set(each["same"]) for each in json_lines(_LABELS)} if _LABELS.exists() else {}
    seen, told, right = 0, 0, 0
    for runs in projects.values():
        sessions = _in_order(runs)
        for at, session in enumerate(sessions):
            prompts = [each for each in session if each.request in labels]
            known = workflows_of(each for earlier in sessions[:at] for each in earlier) if prompts else ()
            for each in prompts:
                matched = match_request(each.asked, known) if asks_for_work(each.asked) else ()
                seen += 1
                told += bool(matched)
                right += bool(matched) and not labels[each.request].isdisjoint(matched[0].workflow.runs)
    fitting = sum(map(bool, labels.values()))
    return {"n": seen, "told": told, "right": right, "fitting": fitting, "precision": right / told if told else None}
