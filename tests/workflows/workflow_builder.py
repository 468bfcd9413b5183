"""Builds runs from short texts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import RunStep, StepKind, WorkflowRun

if TYPE_CHECKING:
    pass

AT = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def build_run(
    number: int, asked: str, steps: str, *, session: int = 0, outcome: WorkOutcome = WorkOutcome.UNKNOWN
) -> WorkflowRun:
    """Build a run of steps with `>` between them, an hour after the one with the number before."""
    at, keys = AT + timedelta(hours=number), steps.split(" > ")
    kinds = {key: StepKind.EDIT if key.startswith("edit ") else StepKind.COMMAND for key in keys}
    return WorkflowRun(
        session=session or number,
        agent="claude-code",
        native=f"s{session or number}",
        request=f"m{number}",
        asked=asked,
        context="orchard",
        at=at,
        ended=at + timedelta(minutes=5),
        steps=tuple(RunStep(key=key, kind=kinds[key], call=f"c{number}") for key in keys),
        outcome=outcome,
        calls=len(keys),
    )
