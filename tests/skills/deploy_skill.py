"""The skill of the scripted deploys, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from tests.deploy_runs import deploy_runs, workflow_of
from wisen.agents.skill_file import SkillFile
from wisen.model.workflow import Procedure, Workflow, WorkflowRun
from wisen.skills.skill_text import SkillFacts, build_skill
from wisen.workflows.procedure import build_procedure

DAY = date(2026, 3, 10)


def deploy_procedure(runs: Sequence[WorkflowRun] | None = None, workflow: Workflow | None = None) -> Procedure:
    known = deploy_runs() if runs is None else runs
    return build_procedure(workflow or workflow_of(known), known)


def deploy_skill(triggers: Sequence[str] = ("deploy version 1.4.0 to staging",)) -> SkillFile:
    return build_skill(deploy_procedure(), SkillFacts("deploy-staging", DAY, DAY, triggers, deploy_runs()))
