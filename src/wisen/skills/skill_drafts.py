"""Drafts the skill of a workflow: from clean runs, for the agent that took most of them, or as an update."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.agents.skill_file import CREATED, FILE, is_valid_name, skill_name, write_skill
from wisen.errors import UsageError
from wisen.kernel.request_words import request_words
from wisen.model.workflow import StepKind
from wisen.safety.withhold import rule_against
from wisen.skills.clean_runs import clean_runs, may_quote, quotable_requests
from wisen.skills.similar_skills import similar_skill
from wisen.skills.skill_dangers import find_dangers
from wisen.skills.skill_text import SkillFacts, build_skill

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import date

    from wisen.agents.agent_ports import LoadsSkills
    from wisen.agents.skill_file import SkillFile
    from wisen.model.workflow import Pitfall, Procedure, ReplayResult, Workflow, WorkflowRun
    from wisen.skills.clean_runs import ProjectFacts
    from wisen.skills.found_skills import FoundSkill
    from wisen.skills.skill_dangers import StepDanger

_TRIGGERS = 5
_MAX_NUMBER = 100


@dataclass(frozen=True, kw_only=True)
class SkillSources:
    """What skills are made from, as other features know it."""

    workflows: Callable[[str], Sequence[Workflow]]
    """The workflows of a context."""
    runs_of: Callable[[Workflow], Sequence[WorkflowRun]]
    build: Callable[[Workflow, Sequence[WorkflowRun], Sequence[Pitfall]], Procedure]
    pitfalls: Callable[[Workflow, Sequence[WorkflowRun]], Sequence[Pitfall]]
    replay: Callable[[Workflow, Sequence[WorkflowRun]], ReplayResult]
    """Leaves each run out in turn, and tries to reproduce it from the others."""
    changed: Callable[[], Sequence[str] | None] = lambda: None
    """The projects in which sessions changed since it was asked last; None for all."""


class SkillSetting(NamedTuple):
    """Where a skill is made: its project, the agents, and the skills that exist."""

    facts: ProjectFacts
    agents: Mapping[str, LoadsSkills]
    found: Sequence[FoundSkill]
    known: Collection[str]
    """The ids of the workflows of the project."""
    similarity: float
    today: date


class SkillDraft(NamedTuple):
    """A skill as we would write it."""

    workflow: Workflow
    path: str
    skill: SkillFile
    content: str
    existing: FoundSkill | None
    """The skill that it would update."""
    dangers: tuple[StepDanger, ...]
    left_out: tuple[str, ...]
    """Why runs were left out."""
    replay: Callable[[], ReplayResult]
    """Leaves each run out in turn, and tries to reproduce it from the others: only a proposal says how that went."""


def draft_skill(workflow: Workflow, sources: SkillSources, where: SkillSetting) -> SkillDraft:
    """Draft the skill of a workflow. Raises: UsageError: its runs must not teach, or show no command."""
    clean = clean_runs(sources.runs_of(workflow), where.facts)
    if not clean.runs:
        reasons = "; ".join(clean.reasons) or "none of its runs is known any more"
        raise UsageError(f"No skill is made of “{workflow.title}”: {reasons}.")
    pitfalls = sources.pitfalls(workflow, clean.runs)
    procedure = _without_foreign_steps(sources.build(workflow, clean.runs, pitfalls), clean.runs)
    if not any(each.command for each in procedure.steps):
        raise UsageError(f"No skill is made of “{workflow.title}”: its runs have no command in common.")
    triggers = quotable_requests(clean.runs, where.facts, _TRIGGERS)
    titles = (workflow.title,) if may_quote(workflow.title, where.facts) else ()
    keys = " ".join(each.step.key for each in procedure.steps)
    facts = SkillFacts(skill_name((*titles, *triggers, keys)), where.today, where.today, triggers, clean.runs)
    existing = similar_skill(
        build_skill(procedure, facts), workflow.id, where.found, where.similarity, set(where.known) - {workflow.id}
    )
    if existing is not None:
        path = Path(existing.path)
        facts = facts._replace(name=_name_of(existing, facts.name), created=_created(existing, where.today))
    else:
        path = _free_path(_folder(clean.runs, where), facts.name)
        facts = facts._replace(name=path.parent.name)
    skill = build_skill(procedure, facts)
    content = write_skill(skill)
    if (rule := rule_against(content)) is not None:
        raise UsageError(f"No skill is made of “{workflow.title}”: it would hold what may not be stored ({rule}).")
    typed = [run.asked for run in clean.runs]
    return SkillDraft(
        workflow,
        str(path),
        skill,
        content,
        existing,
        find_dangers(procedure, where.facts, typed),
        clean.reasons,
        lambda: sources.replay(workflow, clean.runs),
    )


def _without_foreign_steps(procedure: Procedure, runs: Sequence[WorkflowRun]) -> Procedure:
    """Return the procedure without steps that only runs took which must not teach."""
    keys = {step.key for run in runs for step in run.steps}
    steps = tuple(
        structs.replace(
            each,
            step=structs.replace(each.step, alternatives=tuple(key for key in each.step.alternatives if key in keys)),
        )
        for each in procedure.steps
        if each.step.key in keys or each.step.kind is StepKind.READ
    )
    return structs.replace(procedure, steps=steps)


def _folder(runs: Sequence[WorkflowRun], where: SkillSetting) -> Path:
    """Return the folder for a new skill: that of the agent that took most runs, in the project if it has one there."""
    used = [name for name, _ in Counter(run.agent for run in runs).most_common() if name in where.agents]
    name = next(iter((*used, *where.agents)), None)
    if name is None:
        raise UsageError("None of the enabled agents loads skills. Enable one in config.toml: agents.enabled")
    roots = where.facts.roots
    if roots and not any(Path(each).is_dir() for each in roots):
        raise UsageError(f"{roots[0]} is not on this machine any more, so no skill is made for it.")
    return skill_folder(where.agents[name], roots)


def skill_folder(agent: LoadsSkills, roots: Sequence[str]) -> Path:
    """Return the folder of an agent for a new skill of a project; the user's if it has none for projects."""
    root = next((Path(each) for each in roots if Path(each).is_dir()), None)
    return next(iter((*agent.skill_folders(root), *agent.skill_folders(None))))


def _free_path(folder: Path, name: str) -> Path:
    """Return the path for a new skill: under another name if a different skill has this one."""
    names = (name, *(f"{name[:60]}-{number}" for number in range(2, _MAX_NUMBER)))
    return next(folder / each / FILE for each in names if not (folder / each).exists() or _is_empty(folder / each))


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def _name_of(existing: FoundSkill, wanted: str) -> str:
    folder = Path(existing.path).parent.name
    return next(each for each in (existing.skill.name, folder, wanted) if is_valid_name(each))


def _created(existing: FoundSkill, today: date) -> date:
    try:
        return type(today).fromisoformat(existing.skill.metadata.get(CREATED, ""))
    except ValueError:
        return today


def find_workflow(goal: str, workflows: Sequence[Workflow]) -> Workflow:
    """Return the workflow with this id, or that this goal is about. Raises: UsageError."""
    by_id = [each for each in workflows if goal and each.id.casefold().startswith(goal.casefold())]
    if len(by_id) == 1:
        return by_id[0]
    words = request_words(goal)
    ranked = sorted(((_share(words, each), each.id, each) for each in workflows), reverse=True)
    if not ranked or ranked[0][0] < 0.5:
        raise UsageError(f"No workflow of this project is about {goal!r}. wisen learn reads new sessions.")
    return ranked[0][2]


def _share(words: Sequence[str], workflow: Workflow) -> float:
    """Return which share of a workflow's words, by weight, a goal has."""
    weights = dict(workflow.words) or dict.fromkeys(request_words(workflow.title), 1.0)
    total = sum(weights.values())
    return sum(weights.get(word, 0.0) for word in words) / total if total else 0.0
