"""From sessions to a skill: equal goals become one workflow, one proposal, one skill, and a hint at a prompt."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import wisen
from tests.as_person import be_person
from tests.deploy_runs import REQUESTS
from wisen.model.entry import Answer, ProposalType
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.learner import Learner

pytestmark = pytest.mark.requirement("F5", "F6", "S13")
COMMANDS = (
    "npm test",
    "docker build -t registry.orchard.example/pears:{} .",
    "git tag v{}",
    "docker push registry.orchard.example/pears:{}",
    "curl -fsS https://staging.orchard.example/health?version={}",
)
FAILING, SWAPPED = 3, (2, 5)


def write_deploy(home: Path, number: int, asked: str, *more: str) -> None:
    """Write a session that deploys a version, and in which something else is asked afterwards."""
    version = f"1.{number}.0"
    at = datetime.now(UTC) - timedelta(days=20 - number)
    log = ClaudeTranscript(100 + number, cwd=str(home / "orchard"), start=at)
    log.prompt(asked.format(version))
    commands = [each.format(version) for each in (*COMMANDS, *more)]
    if number in SWAPPED:
        commands[1], commands[2] = commands[2], commands[1]
    for command in commands[:-1]:
        log.bash(command, "done")
    log.bash(commands[-1], "curl: (22) 503" if number == FAILING else "ok", exit_code=22 if number == FAILING else 0)
    log.prompt("staging is down now, roll it back" if number == FAILING else "thanks, that works")
    log.prompt("what does the test of the cart check?")
    log.bash("cat tests/cart.js", "it checks the cart")
    log.write(home / ".claude" / "projects" / "orchard")


@pytest.fixture
def learner(home: Path) -> Iterator[Learner]:
    """A user who deployed eight times: once it failed, twice in another order, in other words."""
    (home / "orchard").mkdir()
    for number, asked in enumerate(REQUESTS):
        write_deploy(home, number, asked)
    be_person()
    with wisen.open_learner(home / "wisen", environment={"HOME": str(home)}) as opened:
        opened.learn()
        yield opened


def test_eight_deploys_are_one_workflow_with_one_parameter(learner: Learner) -> None:
    (workflow,) = learner.workflows.list()
    found, runs = learner.workflows.get(workflow.id)
    procedure = learner.workflows.procedure(found, runs)
    assert (workflow.uses, workflow.sessions, workflow.worked, workflow.failed) == (8, 8, 7, 1)
    assert [each.name for each in procedure.parameters] == ["version"]
    assert [" ".join(word.text for word in each.command) for each in procedure.steps] == [
        each.format("v{version}" if each.startswith("git") else "{version}").replace("vv", "v") for each in COMMANDS
    ]


def test_one_skill_is_proposed_and_another_way_changes_it_without_losing_edits(learner: Learner, home: Path) -> None:
    (proposal,) = [each.proposal for each in learner.proposals.all() if each.proposal.type is ProposalType.SKILL]
    learner.proposals.answer(proposal.id, Answer.APPROVED)
    (skill,) = (home / "orchard" / ".claude" / "skills").glob("*/SKILL.md")
    edited = skill.read_text().replace("## Procedure", "Tell the team first.\n\n## Procedure")
    skill.write_text(edited)
    for number in range(8, 14):
        write_deploy(home, number, "deploy {} to staging", "kubectl rollout status deploy/pears")
    learner.learn()
    (state,) = learner.skills.all()
    made = learner.skills.diff(state.name)
    assert made.before == edited
    assert "kubectl rollout status deploy/pears" in made.after
    assert "Tell the team first." in made.after
    assert len([*(home / "orchard" / ".claude" / "skills").iterdir()]) == 1


def test_a_prompt_for_the_goal_is_told_it_and_another_is_not(learner: Learner) -> None:
    (workflow,) = learner.workflows.list()
    for asked in ("deploy 2.0 to staging", "can you ship the new version to staging, please?"):
        (hint,) = learner.workflows.hints_for(asked, workflow.context)
        assert "worked 7 of 8 times" in hint.text
        assert hint.text.endswith("npm test → docker build → git tag → docker push → curl")
    for asked in ("fix the test of the cart", "deploy the docs", "write down how we deploy to staging for the team"):
        assert learner.workflows.hints_for(asked, workflow.context) == ()


def test_a_workflow_that_was_forgotten_is_neither_listed_nor_told_until_that_is_undone(learner: Learner) -> None:
    (workflow,) = learner.workflows.list()
    assert learner.workflows.forget(workflow.id, dry_run=True) == workflow
    assert learner.workflows.list() == (workflow,)
    learner.workflows.forget(workflow.id)
    assert learner.workflows.list() == ()
    assert learner.workflows.hints_for("deploy 2.0 to staging", workflow.context) == ()
    learner.changes.undo()
    assert learner.workflows.list() == (workflow,)


def test_sessions_that_load_a_skill_are_counted(learner: Learner, home: Path) -> None:
    (proposal,) = [each.proposal for each in learner.proposals.all() if each.proposal.type is ProposalType.SKILL]
    learner.proposals.answer(proposal.id, Answer.APPROVED)
    (state,) = learner.skills.all(with_uses=True)
    assert state.uses == 0
    for number, tool, arguments in (
        (0, "Skill", {"skill": state.name}),
        (1, "Bash", {"command": f"cat .agents/skills/{state.name}/SKILL.md"}),
        (2, "Skill", {"skill": "another-one"}),
        (3, "Bash", {"command": f"echo {state.name}"}),
    ):
        log = ClaudeTranscript(200 + number, cwd=str(home / "orchard"))
        log.prompt("put 3.0 on staging")
        log.ok(log.call(tool, **arguments))
        log.write(home / ".claude" / "projects" / "orchard")
    learner.learn()
    (state,) = learner.skills.all(with_uses=True)
    assert state.uses == 2
