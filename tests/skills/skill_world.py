"""A project with a home of its own, and a skill service that knows the workflows it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import structs

import wisen
from tests.deploy_runs import deploy_runs, workflow_of
from wisen.learner import Learner
from wisen.model.workflow import Pitfall, Workflow, WorkflowRun
from wisen.skills.service import SkillService
from wisen.skills.settings import SkillsSettings
from wisen.skills.skill_drafts import SkillSources
from wisen.testing.transcripts import ClaudeTranscript
from wisen.workflows.procedure import build_procedure
from wisen.workflows.replay import leave_one_out

FILES = ".claude/skills/deploy-staging/SKILL.md"


def make_project(home: Path, name: str = "orchard") -> Path:
    """A project that a session has worked in, so that its context is known."""
    project = home / name
    project.mkdir()
    (project / "deploy.yml").write_text("image: registry.orchard.example/pears\nurl: https://staging.orchard.example\n")
    log = ClaudeTranscript(1, cwd=str(project))
    log.prompt("make the report")
    log.bash("make report", "done")
    log.write(home / ".claude" / "projects" / name)
    with wisen.open_learner() as learner:
        learner.cycle()
    return project


@contextmanager
def skills_of(
    project: Path,
    runs: Sequence[WorkflowRun] | None = None,
    workflow: Workflow | None = None,
    pitfalls: Sequence[Pitfall] = (),
    settings: SkillsSettings | None = None,
) -> Iterator[tuple[Learner, SkillService, str]]:
    """The skill service of a learner whose sessions are these runs of one workflow; with the key of the context."""
    with wisen.open_learner() as learner:
        context = learner.contexts.key_of(project) or ""
        known = deploy_runs() if runs is None else list(runs)
        one = structs.replace(workflow or workflow_of(known), context=context)
        deps = learner._deps
        service = SkillService(
            deps.home,
            deps.projects,
            deps.edit_ports,
            deps.decisions,
            sources=SkillSources(
                workflows=lambda wanted: [one] if wanted == context and known else [],
                runs_of=lambda _: known,
                build=build_procedure,
                pitfalls=lambda _workflow, _runs: pitfalls,
                replay=leave_one_out,
            ),
            agents=deps.skill_agents,
            undo=lambda change, dry: learner.changes.undo(change, dry_run=dry),
            settings=settings or SkillsSettings(),
            user_home=Path(deps.rule_files.user_home),
            expires_days=60,
        )
        yield learner, service, context
