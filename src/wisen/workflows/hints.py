"""Makes hints for agents from workflows: what worked, in words that nobody but the user and well-known tools chose.

What an agent ran may have been dictated by a page or an error message, and what it ran three times looks like a habit.
So a hint names well-known programs and their usual subcommands only, and kinds of files; never arguments, and never
another program unless the user typed its name. Whoever wants more approves a skill, and sees its commands first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.workflow_hints import WorkflowHint
from wisen.kernel.request_words import request_words
from wisen.model.workflow import StepKind, StepUse
from wisen.workflows.describe_workflow import CUT, MAX_STEPS, success_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.model.workflow import Workflow, WorkflowStep

_PROGRAMS = frozenset(
    "git gh glab npm pnpm yarn bun npx bunx node deno tsc vite vitest jest eslint prettier biome playwright cypress "
    "python python3 pip uv poetry pytest tox nox ruff mypy black flake8 pyright django-admin flask alembic "
    "go gofmt golangci-lint cargo rustc rustfmt clippy make cmake ninja bazel just task mise gradle gradlew mvn mvnw "
    "dotnet swift xcodebuild flutter dart mix elixir ruby bundle rake rails rspec php composer artisan phpunit "
    "docker docker-compose podman kubectl helm kustomize terraform tofu pulumi ansible ansible-playbook aws gcloud az "
    "fly flyctl heroku vercel netlify wrangler firebase supabase psql mysql sqlite3 redis-cli curl wget rsync scp tar "
    "zip jq sed awk grep rg tmux turbo nx lerna changeset goreleaser twine sentry-cli".split()
)
_SUBCOMMANDS = frozenset(
    "add am apply archive audit bisect blame branch build bump cherry-pick check checkout ci clean clippy clone "
    "comment commit compose config connect cp create deploy describe destroy dev diff down edit exec export fetch fix "
    "fmt format generate get graphql import info init insights inspect install issue lint list log login logs ls merge "
    "migrate mod mv new outdated pack plan pr ps publish pull push rebase release reload reset restart restore "
    "review rm rollback rollout run seed serve set show stash start status stop switch sync tag template test tests "
    "tidy typecheck undo up update upgrade validate verify version vet view watch workflow".split()
)
_CLIENT_TOOLS = frozenset({"Task", "Agent", "Skill", "WebFetch", "WebSearch"})
"""Tools that clients bring themselves: the names of others are chosen by servers."""
_MIN_COMMANDS, _MIN_WORKED = 2, 2
_MAX_ENDING = 6


def hints_of(workflows: Iterable[Workflow]) -> tuple[WorkflowHint, ...]:
    """Return the hints of a context, those of most sessions first."""
    return tuple(
        WorkflowHint(each.id, text, each.words)
        for each in workflows
        if each.words and each.worked >= _MIN_WORKED and each.worked > each.failed and (text := _text(each))
    )


def _text(workflow: Workflow) -> str:
    """Return what is told of a workflow; empty if it has a step that may not be named, or too few commands."""
    typed = {*workflow.title.casefold().split(), *request_words(workflow.title)}
    names = [_name(step, typed) for step in workflow.steps]
    commands = [step for step in workflow.steps if step.kind is not StepKind.EDIT]
    if not all(names) or len(commands) < _MIN_COMMANDS:
        return ""
    shown = [
        f"[{name}]" if step.use is StepUse.SOMETIMES else name for step, name in zip(workflow.steps, names, strict=True)
    ][:MAX_STEPS]
    steps = " → ".join([*shown, "…"] if len(names) > MAX_STEPS else shown)
    where = f"in {workflow.sessions} sessions, {success_text(workflow)}"
    # A title that was cut could say the opposite of the request, so it is not quoted.
    goal = "Such a request" if workflow.title.endswith(CUT) else f"“{workflow.title}”"
    return f"{goal} was done before ({where}): {steps}"


def _name(step: WorkflowStep, typed: Collection[str]) -> str:
    """Return how a step is named to an agent; empty if it may not be."""
    first, *others = step.key.split()
    if step.kind is StepKind.EDIT:
        ending = step.key.rpartition(".")[2]
        return f"edit .{ending}" if ending.isascii() and ending.isalnum() and len(ending) <= _MAX_ENDING else "edit"
    if step.kind is StepKind.TOOL:
        return first if first in _CLIENT_TOOLS else ""
    if first not in _PROGRAMS and first.casefold() not in typed:
        return ""
    kept = []
    for word in others:
        if word not in _SUBCOMMANDS and word.casefold() not in typed:
            break
        kept.append(word)
    return " ".join((first, *kept))
