"""Describes a workflow in a line, for people and agents: how often it was done, its steps, how often it worked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.workflow import StepUse

if TYPE_CHECKING:
    from wisen.model.workflow import Workflow, WorkflowStep

MAX_STEPS = 12
CUT = " …"
"""How a title ends that is only the beginning of a request."""


def steps_text(workflow: Workflow) -> str:
    """Return the steps in the usual order; optional ones in brackets, alternatives with a slash."""
    shown = [_step_text(each) for each in workflow.steps[:MAX_STEPS]]
    return " → ".join([*shown, "…"] if len(workflow.steps) > MAX_STEPS else shown)


def success_text(workflow: Workflow) -> str:
    """Return how often it worked, of the runs that count; empty if none does."""
    return f"worked {workflow.worked} of {workflow.judged} times" if workflow.judged else ""


def _step_text(step: WorkflowStep) -> str:
    name = " / ".join((step.key, *step.alternatives))
    return f"[{name}]" if step.use is StepUse.SOMETIMES else name
