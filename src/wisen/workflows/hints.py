"""Makes hints for agents from workflows: only those that worked, and only names of programs, never arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.workflow_hints import WorkflowHint
from wisen.model.workflow import StepKind
from wisen.workflows.describe_workflow import advice_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.workflow import Workflow

_RISKY = frozenset("sudo su doas sh bash zsh fish eval ssh rm dd mkfs chmod chown kill pkill format shutdown".split())
"""Programs that no hint names: a session decides by itself whether it needs them."""
_MIN_COMMANDS = 2


def hints_of(workflows: Iterable[Workflow]) -> tuple[WorkflowHint, ...]:
    """Return the hints of a context, those of most sessions first."""
    return tuple(WorkflowHint(each.id, advice_text(each), each.words) for each in workflows if is_deliverable(each))


def is_deliverable(workflow: Workflow) -> bool:
    """Whether it worked more often than not, is recognized by words, and does nothing that nobody should repeat."""
    keys = [key for step in workflow.steps for key in (step.key, *step.alternatives)]
    commands = [step for step in workflow.steps if step.kind in (StepKind.COMMAND, StepKind.TOOL)]
    is_risky = any(word in _RISKY for key in keys for word in key.split())
    return (
        bool(workflow.words)
        and workflow.worked >= 2
        and workflow.worked > workflow.failed
        and len(commands) >= _MIN_COMMANDS
        and not is_risky
    )
