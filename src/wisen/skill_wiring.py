"""Wires skills to what they are made from: workflows, their runs, and the fixes that were found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.reinforcement import skill_subject
from wisen.skills.changed_projects import changed_projects
from wisen.skills.service import SkillService
from wisen.skills.skill_drafts import SkillSources

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.changes.service import ChangeService
    from wisen.dependencies import Dependencies
    from wisen.model.workflow import Pitfall, Procedure, ReplayResult, Workflow, WorkflowRun
    from wisen.workflows.service import WorkflowService


def create_skills(deps: Dependencies, workflows: WorkflowService, changes: Callable[[], ChangeService]) -> SkillService:
    """Create the skill service; `changes` undoes what it wrote."""

    return SkillService(
        deps.home,
        deps.projects,
        deps.edit_ports,
        deps.decisions,
        sources=SkillSources(
            workflows=workflows.load_stored,
            runs_of=workflows.runs_of,
            build=_build,
            pitfalls=workflows.pitfalls,
            replay=_replay,
            changed=lambda: changed_projects(deps.home),
        ),
        agents=deps.skill_agents,
        undo=lambda change, dry_run: changes().undo(change, dry_run=dry_run),
        settings=deps.settings.skills,
        user_home=deps.rule_files.user_home,
        expires_days=deps.settings.promote.expires_days,
    )


def praised_names(workflows: WorkflowService, skills: SkillService) -> dict[str, str]:
    """Return the names of workflows and skills, by the subject of their praise."""
    titles = {each.id: each.title for each in workflows.list()}
    return titles | {skill_subject(each.name): f"the skill {each.name}" for each in skills.all()}


def _build(workflow: Workflow, runs: Sequence[WorkflowRun], pitfalls: Sequence[Pitfall]) -> Procedure:
    from wisen.workflows.procedure import build_procedure

    return build_procedure(workflow, runs, pitfalls)


def _replay(workflow: Workflow, runs: Sequence[WorkflowRun]) -> ReplayResult:
    from wisen.workflows.replay import leave_one_out

    return leave_one_out(workflow, runs)
