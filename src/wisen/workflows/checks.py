"""Recognizes the steps of a workflow that check something: the next step follows only if they succeed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import StepKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.workflow import TemplateWord, WorkflowRun, WorkflowStep

_WORDS = frozenset(
    "test tests pytest jest vitest mocha rspec phpunit tox nox ctest check checks lint eslint ruff mypy tsc pyright"
    " flake8 pylint clippy vet rubocop shellcheck hadolint typecheck build verify validate status health healthz ping"
    " smoke audit doctor diagnose ready wait rollout coverage e2e fmt-check format-check --check --dry-run".split()
)
_STATE_WORDS = frozenset("health healthz healthcheck status ready readyz readiness ping smoke version".split())
"""In an address that is asked for: what tells whether something runs."""
_ASKING_PROGRAMS = frozenset("curl wget http https xh".split())
_WORD = lazy_regex(r"[a-z0-9]+")


def is_check(step: WorkflowStep, command: Sequence[TemplateWord], runs: Iterable[WorkflowRun]) -> bool:
    """Whether a step checks something, and no run that worked went on after it had failed."""
    if step.kind not in (StepKind.COMMAND, StepKind.TOOL):
        return False
    if not _names_check(step.key) and not _asks_for_state(command):
        return False
    return not any(
        run.outcome is WorkOutcome.WORKED and any(each.key == step.key and each.failed for each in run.steps[:-1])
        for run in runs
    )


def _asks_for_state(command: Sequence[TemplateWord]) -> bool:
    if not command or command[0].text not in _ASKING_PROGRAMS:
        return False
    return any(part in _STATE_WORDS for word in command[1:] for part in _WORD.findall(word.text.casefold()))


def _names_check(key: str) -> bool:
    words = key.casefold().split()
    return any(word in _WORDS or any(part in _WORDS for part in _WORD.findall(word)) for word in words)
