"""The service lists workflows and finds one for a request by its words; a request about something else finds none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from msgspec import structs

import wisen
from tests.workflows.workflow_builder import build_run
from wisen.errors import UsageError
from wisen.testing.transcripts import ClaudeTranscript
from wisen.workflows.match_request import match_request
from wisen.workflows.stored_workflows import workflows_of
from wisen.workflows.typical_run import typical_run

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.learner import Learner
    from wisen.model.workflow import Workflow

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
REQUESTS = ("deploy 1.2 to staging", "please deploy 1.3 to staging", "ship 1.4 to staging", "deploy 1.5 to staging")


def deploy(number: int, asked: str, folder: Path) -> ClaudeTranscript:
    """A session that deploys a version."""
    log = ClaudeTranscript(number, cwd=str(folder), start=START + timedelta(days=number))
    log.prompt(asked)
    for command in (
        "docker build -t shop:{0} .",
        "docker tag shop:{0} hub/shop",
        "docker push hub/shop",
        "kubectl apply",
    ):
        log.bash(f"cd shop && {command.format(f'1.{number}')} 2>&1 | tail -3", "done")
    log.prompt("why is the sky in the logo green?")
    log.bash("ls", "logo.svg")
    return log


@pytest.fixture
def learner(home: Path) -> Iterator[Learner]:
    """A user who deployed four times."""
    project = home / "shop"
    project.mkdir()
    logs = home / ".claude" / "projects" / "shop"
    for number, asked in enumerate(REQUESTS, 2):
        deploy(number, asked, project).write(logs)
    with wisen.open_learner(home / "wisen", environment={"HOME": str(home)}) as opened:
        opened.learn(logs)
        yield opened


def test_what_sessions_repeat_is_listed_with_its_runs(learner: Learner) -> None:
    service = learner.workflows
    service.refresh()
    (listed,) = service.list()
    assert service.load_stored(listed.context) == (listed,)
    assert [step.key for step in listed.steps] == ["docker build", "docker tag", "docker push", "kubectl apply"]
    assert service.list(listed.context) == (listed,)
    assert service.list("elsewhere") == ()
    workflow, runs = service.get(listed.id[:6])
    assert workflow == listed
    assert [run.asked for run in runs] == [*REQUESTS]
    assert runs[0].steps[0].words == ("docker", "build", "-t", "shop:1.2", ".")


def test_an_id_that_no_workflow_has_is_refused(learner: Learner) -> None:
    with pytest.raises(UsageError, match="No workflow has the id 'W-none'"):
        learner.workflows.get("W-none")


def test_a_request_gets_the_workflow_of_its_context(learner: Learner) -> None:
    service = learner.workflows
    (listed,) = service.list()
    (suggested,) = service.suggest("could you deploy 2.0 to staging?", listed.context)
    assert suggested.workflow == listed
    assert service.suggest("could you deploy 2.0 to staging?", "elsewhere") == ()
    assert service.suggest("why is the logo green?", listed.context) == ()


def test_a_new_session_joins_at_the_next_question(learner: Learner, home: Path) -> None:
    service = learner.workflows
    assert service.list()[0].uses == 4
    deploy(9, "deploy 1.9 to staging", home / "shop").write(home / ".claude" / "projects" / "shop")
    learner.learn(home / ".claude" / "projects" / "shop")
    assert service.list()[0].uses == 5


def test_what_was_forgotten_is_in_no_workflow(learner: Learner) -> None:
    service = learner.workflows
    requests = service.list()[0].runs
    learner.home.index.removal.redact({("claude-code", request) for request in requests})
    assert service.list() == ()


def deploys() -> tuple[Workflow, ...]:
    steps = "docker build > docker tag > docker push > kubectl apply"
    return workflows_of(build_run(number, asked, steps) for number, asked in enumerate(REQUESTS, 1))


@pytest.mark.parametrize(
    "asked",
    [
        "deploy it to staging",
        "Deploy version 3 to staging, please.",
        "can we deploy the new release to staging now?",
    ],
)
def test_a_request_in_other_words_gets_the_workflow(asked: str) -> None:
    assert [each.workflow for each in match_request(asked, deploys())] == [*deploys()]


def test_among_workflows_that_fit_as_well_the_praised_one_comes_first() -> None:
    (one,) = deploys()
    other = structs.replace(one, id="W-00000000", sessions=one.sessions - 1)
    assert [each.workflow.id for each in match_request("deploy to staging", (one, other))] == [one.id, other.id]
    praised = match_request("deploy to staging", (one, other), {other.id: 2})
    assert [each.workflow.id for each in praised] == [other.id, one.id]


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "commit",
        "the colors on the start page are wrong, and the staging banner hides the menu on small screens; fix both",
        "why does the test of the cart fail?",
        "which deploy tool?",
        "write a page about how staging differs from production for new people in the team and link it",
    ],
)
def test_a_request_about_something_else_gets_none(asked: str) -> None:
    assert match_request(asked, deploys()) == ()


def test_of_similar_requests_the_middle_run_is_typical() -> None:
    runs = [
        build_run(1, "deploy to staging", "docker build > docker push > kubectl apply"),
        build_run(2, "deploy to staging", "docker build > docker push > kubectl apply > curl"),
        build_run(3, "deploy to staging", "ssh"),
        build_run(4, "publish the site", "hugo publish > s3cmd sync"),
    ]
    found = typical_run("deploy 3 to staging", runs)
    assert found is not None
    assert found.request in ("m1", "m2")
    assert typical_run("publish it", runs, nearest=1) == runs[3]
    assert typical_run("anything", []) is None
