"""Recognizes the steps of a workflow that check something: the next step follows only if they succeed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import StepKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.workflow import WorkflowRun, WorkflowStep

_WORDS = frozenset(
    "test tests pytest jest vitest mocha rspec phpunit tox nox ctest check checks lint eslint ruff mypy tsc pyright"
    " flake8 pylint clippy vet rubocop shellcheck hadolint typecheck build verify validate status health healthz ping"
    " smoke audit doctor diagnose ready wait rollout coverage e2e fmt-check format-check --check --dry-run".split()
)
_WORD = lazy_regex(r"[a-z0-9]+")


def is_check(step: WorkflowStep, runs: Iterable[WorkflowRun]) -> bool:
    """Whether a step checks something, and no run that worked went on after it had failed."""
    if step.kind not in (StepKind.COMMAND, StepKind.TOOL) or not _names_check(step.key):
        return False
    return not any(
        run.outcome is WorkOutcome.WORKED and any(each.key == step.key and each.failed for each in run.steps[:-1])
        for run in runs
    )


def _names_check(key: str) -> bool:
    words = key.casefold().split()
    return any(word in _WORDS or any(part in _WORDS for part in _WORD.findall(word)) for word in words)
