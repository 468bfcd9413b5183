"""Finds the failures in the runs of a workflow that a known fix overcame: what to watch out for the next time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.fix import Danger
from wisen.model.workflow import Pitfall
from wisen.safety.fix_texts import quote_change
from wisen.text.command_lines import command_of, fields_of, parse_command

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.fix import Evidence, Fix
    from wisen.model.workflow import Workflow, WorkflowRun

_MOST = 5


def find_pitfalls(
    workflow: Workflow,
    runs: Iterable[WorkflowRun],
    fixes: Iterable[Fix],
    evidence: Mapping[str, Sequence[Evidence]],
) -> tuple[Pitfall, ...]:
    """Return the failures of these runs with what overcame them, the most frequent first.

    `evidence`: every time that a fix was tried in the sessions of these runs, by its id. A remedy that is not known to
    be harmless is left out: it needs the user's approval as a fix of its own.
    """
    every = tuple(runs)
    found = []
    for fix in fixes:
        seen = [(each, run) for each in evidence.get(fix.id, ()) for run in every if _is_in(each, run)]
        sessions = {(each.agent, each.session) for each, _ in seen}
        step = next((key for each, run in seen if (key := _step_of(each, run, workflow))), "")
        if not step:
            continue
        remedy = quote_change(fix.change) if fix.danger is Danger.NONE and fix.last_worked else ""
        found.append(Pitfall(step=step, problem=fix.signature.safe_description, remedy=remedy, sessions=len(sessions)))
    found.sort(key=lambda each: (-each.sessions, not each.remedy, each.step, each.problem))
    return tuple({(each.step, each.problem): each for each in reversed(found)}.values())[::-1][:_MOST]


def _is_in(evidence: Evidence, run: WorkflowRun) -> bool:
    """Whether it happened in a run."""
    return (evidence.agent, evidence.session) == (run.agent, run.native) and run.at <= evidence.at <= run.ended


def _step_of(evidence: Evidence, run: WorkflowRun, workflow: Workflow) -> str:
    """Return the key of the step of the workflow that failed; empty if it is none of them."""
    keys = [step.key for step in workflow.steps]
    called = (step.key for step in run.steps if evidence.call and step.call == evidence.call and step.key in keys)
    if (key := next(called, "")) != "":
        return key
    line = command_of(fields_of(evidence.before))
    heads = [part.head for part in parse_command(line).working] if line else []
    return next((key for key in keys if key in heads), "")
