"""`wisen workflows`: lists and shows what repeats, suggests it for a goal, and forgets it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen import app
from wisen.model.backtest import confidence_bounds
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import clip, console, format_duration, plural, print_json, say
from wisen.workflows.describe_workflow import steps_text, success_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from wisen.model.workflow import Procedure, Workflow, WorkflowRun

_WIDE, _RUNS, _NEVER = 100, 8, "Nothing learned yet. Start with: wisen learn"


def list_workflows(*, every: bool, as_json: bool) -> int:
    """List the workflows of this project, or of every project."""
    wires = app.wire()
    if not wires.ever_used:
        print(_NEVER)
        return NOTHING
    with wires.learner(reads=False) as learner:
        here = learner.contexts.key_of(Path.cwd())
        everything = learner.workflows.list()
        names = {context.key: context.name for context, _, _ in learner.contexts.all()} if every else {}
    found = [each for each in everything if every or each.context == here]
    if as_json:
        print_json({"workflows": [_fields(each) for each in found]})
        return 0
    for each in found:
        where = f"{names.get(each.context, each.context)}: " if every else ""
        say(f"{each.id}  {where}{clip(each.title, _WIDE)}")
        say(f"    {steps_text(each)}")
        say(f"    {_facts(each)}", dim=True)
    if not found:
        say("Nothing repeats here so far: a workflow needs two sessions that reach a goal by the same steps.")
    if len(everything) > len(found):
        say(
            f"{plural(len(everything) - len(found), 'workflow')} of other projects: wisen workflows list --all",
            dim=True,
        )
    return 0


def show_workflow(workflow: str, *, as_json: bool) -> int:
    """Show one workflow as a procedure, and its runs."""
    with app.wire().learner(reads=False) as learner:
        found, runs = learner.workflows.get(workflow)
        procedure = learner.workflows.procedure(found, runs)
        praises = learner.praise.praises_of(found.id)
        strength = learner.praise.strength(praises)
    if as_json:
        steps = [structs.asdict(each) for each in procedure.steps]
        print_json(
            _fields(found)
            | {
                "procedure": steps,
                "parameters": procedure.parameters,
                "pitfalls": procedure.pitfalls,
                "praises": len(praises),
                "evidence": [_run_fields(run) for run in runs],
            }
        )
        return 0
    out = console()
    out.print(f"{found.id}  {found.title}", markup=False, style="bold")
    out.print(f"  {_facts(found)}", markup=False, style="dim")
    for line in praise_lines(praises, strength):
        out.print(f"  {line}", markup=False, style="dim")
    _print_procedure(procedure, out)
    _print_runs(runs, out)
    return 0


def suggest_workflow(goal: str, *, as_json: bool) -> int:
    """Show the workflows that a goal asks for."""
    with app.wire().learner(reads=False) as learner:
        found = learner.workflows.suggest(goal, learner.contexts.key_of(Path.cwd()))
    if as_json:
        print_json({"suggestions": [{"score": each.score} | _fields(each.workflow) for each in found]})
        return 0
    for each in found:
        say(f"{each.workflow.id}  {clip(each.workflow.title, _WIDE)}")
        say(f"    {steps_text(each.workflow)}")
        say(f"    {_facts(each.workflow)}", dim=True)
    if not found:
        say("Nothing that was done here before fits that goal. What repeats: wisen workflows")
    return 0


def forget_workflow(workflow: str, *, dry_run: bool, as_json: bool) -> int:
    """Forget a workflow."""
    with app.wire().learner(reads=False) as learner:
        found = learner.workflows.forget(workflow, dry_run=dry_run)
    if as_json:
        print_json({"workflow": found.id, "dry_run": dry_run})
        return 0
    say(f"{'Would be' if dry_run else 'Is'} forgotten: {found.id} ({clip(found.title, _WIDE)}). To undo: wisen undo")
    return 0


def _facts(workflow: Workflow) -> str:
    facts = [f"{plural(workflow.uses, 'run')} in {plural(workflow.sessions, 'session')}"]
    if worked := success_text(workflow):
        least, _ = confidence_bounds(workflow.worked, workflow.judged)
        facts.append(f"{worked} (at least {least:.0%})")
    facts += [
        f"usually {format_duration(round(workflow.duration.total_seconds() * 1000))}",
        f"last {workflow.last:%Y-%m-%d}",
    ]
    return ", ".join(facts)


def _print_procedure(procedure: Procedure, out: Console) -> None:
    for number, each in enumerate(procedure.steps, 1):
        command = " ".join(word.text for word in each.command) or each.step.key
        notes = [each.step.use.value] + (["a check"] if each.is_check else [])
        out.print(f"  {number}. {command}  ({', '.join(notes)})", markup=False, highlight=False)
    for parameter in procedure.parameters:
        examples = ", ".join(parameter.examples)
        out.print(f"  {{{parameter.name}}}: {parameter.kind.value}, for example {examples}", markup=False, style="dim")
    for pitfall in procedure.pitfalls:
        remedy = f": {pitfall.remedy}" if pitfall.remedy else ""
        out.print(f"  Careful, {pitfall.step}: {pitfall.problem}{remedy}", markup=False, highlight=False)


def _print_runs(runs: Sequence[WorkflowRun], out: Console) -> None:
    out.print("  Runs, the newest first:", markup=False)
    for run in reversed(runs[-_RUNS:]):
        asked = clip(run.asked, _WIDE) or "(not kept)"
        out.print(f"    {run.at:%Y-%m-%d} {run.outcome.value} ({run.reason.value}): {asked}", markup=False, style="dim")
        out.print(f"        {run.agent} {run.native}", markup=False, style="dim")
    if len(runs) > _RUNS:
        out.print(f"    … and {len(runs) - _RUNS} more: --json", markup=False, style="dim")


def _fields(workflow: Workflow) -> dict[str, object]:
    fields = structs.asdict(workflow)
    return fields | {
        "duration": workflow.duration.total_seconds(),
        "uses": workflow.uses,
        "success_at_least": confidence_bounds(workflow.worked, workflow.judged)[0] if workflow.judged else None,
    }


def _run_fields(run: WorkflowRun) -> dict[str, object]:
    return {
        "agent": run.agent,
        "session": run.native,
        "request": run.request,
        "asked": run.asked,
        "at": run.at,
        "outcome": run.outcome,
        "reason": run.reason,
        "calls": run.calls,
    }
