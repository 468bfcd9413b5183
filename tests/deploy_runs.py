"""Scripted runs of a parametrised deploy: build, tag, push, check; one fails, two take another order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from wisen.model.work_outcome import OutcomeReason, WorkOutcome
from wisen.model.workflow import RunStep, StepKind, StepUse, Workflow, WorkflowRun, WorkflowStep

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
VERSIONS = ("1.4.0", "1.4.1", "1.5.0", "1.5.1", "1.6.0", "2.0.0", "2.0.1", "2.1.0-rc.1")
REQUESTS = (
    "deploy version {} to staging",
    "please ship {} to staging",
    "release {} on staging",
    "deploy {} to staging please",
    "bring v{} to staging",
    "put {} on staging",
    "deploy version {} to staging",
    "staging should run {} now",
)
KEYS = ("docker build", "git tag", "docker push", "curl")


def command(line: str, *, failed: bool = False, call: str = "") -> RunStep:
    """A step that ran a command, given with one space between its words."""
    words = tuple(line.split(" "))
    key = " ".join(words[:2]) if words[0] in ("docker", "git", "npm", "kubectl", "make") else words[0]
    return RunStep(key=key, kind=StepKind.COMMAND, words=words, call=call, failed=failed)


def deploy_steps(version: str) -> list[RunStep]:
    """The steps of a deploy, in the usual order."""
    return [
        command(f"docker build -t registry.orchard.example/pears:{version} ."),
        command(f"git tag v{version}"),
        command(f"docker push registry.orchard.example/pears:{version}"),
        command(f"curl -fsS https://staging.orchard.example/health?version={version}"),
    ]


def run_of(
    number: int,
    asked: str,
    steps: Sequence[RunStep],
    outcome: WorkOutcome = WorkOutcome.WORKED,
    reason: OutcomeReason = OutcomeReason.FINISHED,
    calls: int = 0,
) -> WorkflowRun:
    """A run in a session of its own."""
    at = AT + timedelta(days=number)
    return WorkflowRun(
        session=number,
        agent="claude-code",
        native=f"5e551074-{number:04d}",
        request=f"m{number}",
        asked=asked,
        context="orchard",
        at=at,
        ended=at + timedelta(minutes=6),
        steps=tuple(steps),
        outcome=outcome,
        reason=reason,
        calls=calls or len(steps) + 2,
    )


def deploy_runs() -> list[WorkflowRun]:
    """Eight runs: the fourth fails at the build, the third and the sixth take another order."""
    runs = []
    for number, (version, request) in enumerate(zip(VERSIONS, REQUESTS, strict=True)):
        build, tag, push, check = deploy_steps(version)
        steps = [build, tag, push, check]
        if number in (2, 5):
            steps = [tag, build, push, check]
        if number == 3:
            runs.append(
                run_of(
                    number,
                    request.format(version),
                    [command("docker build -t registry.orchard.example/pears:latest .", failed=True)],
                    WorkOutcome.FAILED,
                    OutcomeReason.FAILING,
                )
            )
            continue
        runs.append(run_of(number, request.format(version), steps))
    return runs


def workflow_of(
    runs: Sequence[WorkflowRun], keys: Sequence[str] = KEYS, *, id_: str = "W-5eed0001", title: str = ""
) -> Workflow:
    """The workflow of these runs, with its steps in the usual order."""
    having = {key: sum(any(step.key == key for step in run.steps) for run in runs) for key in keys}
    return Workflow(
        id=id_,
        context="orchard",
        title=title or "deploy to staging",
        words=(("deploi", 1.0), ("stag", 1.0)),
        steps=tuple(
            WorkflowStep(key=key, kind=StepKind.COMMAND, share=having[key] / len(runs), use=StepUse.ALWAYS)
            for key in keys
        ),
        runs=tuple(run.request for run in runs),
        sessions=len({run.native for run in runs}),
        worked=sum(run.outcome is WorkOutcome.WORKED for run in runs),
        failed=sum(run.outcome is WorkOutcome.FAILED for run in runs),
        duration=timedelta(minutes=6),
        calls=6,
        first=runs[0].at,
        last=runs[-1].at,
    )
