"""Checks procedures on runs that they were not made from: whether they reproduce the commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.workflow import ReplayResult
from wisen.workflows.procedure import build_procedure, fill, parameter_names, values_in
from wisen.workflows.run_alignment import align_steps

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.model.workflow import Procedure, RunStep, Workflow, WorkflowRun

_MOST_RUNS = 12
"""How many runs, the newest, are left out one at a time."""


def replay_run(procedure: Procedure, run: WorkflowRun) -> ReplayResult:
    """Fill in the values that a run shows first, and compare every command with what the run did."""
    taken = [found.get(run.request) for found in align_steps(procedure.workflow, [run])]
    values = _values_of_run(procedure, taken)
    pairs = [
        (each.command, step.words)
        for each, step in zip(procedure.steps, taken, strict=True)
        if each.command and step is not None
    ]
    reproduced = sum(
        words in (fill(command, values), fill(command, values, optional=False)) for command, words in pairs
    )
    return ReplayResult(steps=len(pairs), reproduced=reproduced)


def _values_of_run(procedure: Procedure, taken: Sequence[RunStep | None]) -> Mapping[str, str]:
    """Return the value of each parameter, from the first command of the run that shows it."""
    values: dict[str, str] = {}
    for each, step in zip(procedure.steps, taken, strict=True):
        if step is not None and any(parameter_names(word) for word in each.command):
            values = {**(values_in(each.command, step.words) or {}), **values}
    return values


def leave_one_out(workflow: Workflow, runs: Sequence[WorkflowRun]) -> ReplayResult:
    """Leave each run out in turn, and replay it with the procedure made from the others."""
    ordered = sorted(runs, key=lambda run: (run.at, run.request))
    results = [
        replay_run(build_procedure(workflow, [each for each in ordered if each is not run]), run)
        for run in ordered[-_MOST_RUNS:]
        if len(ordered) > 1
    ]
    return ReplayResult(steps=sum(each.steps for each in results), reproduced=sum(each.reproduced for each in results))
