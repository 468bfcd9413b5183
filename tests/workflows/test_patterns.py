"""Patterns are what runs of several sessions have in common beyond what every project does."""

from __future__ import annotations

from datetime import timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.workflows.workflow_builder import AT, build_run
from wisen.model.work_outcome import WorkOutcome
from wisen.model.workflow import StepUse, Workflow, WorkflowRun
from wisen.workflows.find_patterns import PatternPolicy, find_patterns
from wisen.workflows.step_sequences import fold_repeats, sequence_f1, shared_in_order
from wisen.workflows.stored_workflows import workflows_of

DEPLOY = "docker build > docker tag > docker push > kubectl rollout status"
OTHER_WORK = (
    ("the total is wrong in the cart", "edit .py > pytest > git add > git commit"),
    ("rename the column", "edit .py > edit .sql > pytest"),
    ("why does the login page blink?", "edit .tsx > npm test > edit .tsx > npm test"),
    ("commit", "git add > git commit"),
    ("fix the lint errors", "ruff check > edit .py > ruff check > git add > git commit > git push"),
    ("add a test for refunds", "edit .py > pytest > edit .py > pytest"),
)


def deploys() -> list[WorkflowRun]:
    """Eight deploys: one that fails, two in another order, with more and with other steps, in other words."""
    return [
        build_run(10, "deploy 1.2 to staging", DEPLOY),
        build_run(20, "please deploy version 1.3 to staging", DEPLOY, outcome=WorkOutcome.WORKED),
        build_run(30, "ship 1.4 to staging", f"pytest > {DEPLOY}"),
        build_run(40, "deploy to staging", "docker tag > docker build > docker push > kubectl rollout status"),
        build_run(
            50, "deploy 1.5 on staging now", "docker build > docker tag > docker push", outcome=WorkOutcome.FAILED
        ),
        build_run(60, "deploy 1.6 to staging", f"edit .env > {DEPLOY} > curl"),
        build_run(70, "staging deploy of 1.7", "docker build > docker push > docker tag > kubectl rollout status"),
        build_run(80, "deploy 1.8 to staging please", DEPLOY),
    ]


def other_work(start: int = 0) -> list[WorkflowRun]:
    return [build_run(start + number, *each) for number, each in enumerate(OTHER_WORK, 1)]


def keys(workflow: Workflow) -> list[str]:
    return [step.key for step in workflow.steps]


@pytest.mark.parametrize("others", [[], other_work()])
def test_runs_in_other_orders_and_words_are_one_workflow(others: list[WorkflowRun]) -> None:
    (deploy,) = workflows_of([*others, *deploys()])
    assert keys(deploy) == DEPLOY.split(" > ")
    assert (deploy.uses, deploy.sessions, deploy.worked, deploy.failed) == (8, 8, 1, 1)
    assert {word for word, _ in deploy.words} >= {"deploi", "stag"}
    assert "deploy" in deploy.title
    assert (deploy.first, deploy.last) == (AT + timedelta(hours=10), AT + timedelta(hours=80))


def test_it_says_how_regularly_a_step_is_taken_and_what_is_taken_instead() -> None:
    runs = [
        *(build_run(number, "publish the site", "hugo publish > s3cmd sync > varnish purge") for number in (1, 2, 3)),
        *(
            build_run(number, "publish the site", "hugo publish > s3cmd put > varnish purge > slackcat")
            for number in (4, 5)
        ),
        build_run(6, "publish the site again", "hugo publish > s3cmd sync > varnish purge > slackcat"),
    ]
    (publish,) = workflows_of(runs)
    assert [(step.key, step.use, step.alternatives) for step in publish.steps] == [
        ("hugo publish", StepUse.ALWAYS, ()),
        ("s3cmd sync", StepUse.USUALLY, ("s3cmd put",)),
        ("varnish purge", StepUse.ALWAYS, ()),
        ("slackcat", StepUse.USUALLY, ()),
    ]


def test_a_repeated_part_is_folded_and_said_to_repeat() -> None:
    steps = "edit .tf > terraform plan > edit .tf > terraform plan > terraform apply > inspec exec"
    (change,) = workflows_of(build_run(number, "change the network", steps) for number in (1, 2, 3))
    assert [(step.key, step.repeats) for step in change.steps] == [
        ("edit .tf", True),
        ("terraform plan", True),
        ("terraform apply", False),
        ("inspec exec", False),
    ]


@pytest.mark.parametrize(
    "steps",
    [
        "edit .py > pytest",
        "edit .py > ruff format > ruff check > pytest",
        "git add > git commit > git push",
        "edit .py > pytest > git add > git commit",
    ],
)
def test_what_every_project_does_is_no_workflow(steps: str) -> None:
    assert workflows_of(build_run(number, f"do part {number} of the plan", steps) for number in range(1, 9)) == ()


def test_a_chain_that_most_runs_of_the_project_take_is_no_workflow() -> None:
    asked = ("the cart", "a logo", "slow query", "typo", "new field", "login", "export", "dark mode", "cache", "menu")
    runs = [
        build_run(number, each, "edit .py > bake run > bake serve > bake ship") for number, each in enumerate(asked)
    ]
    assert workflows_of(runs) == ()


def test_what_one_session_repeats_is_no_workflow() -> None:
    assert workflows_of(build_run(number, "deploy to staging", DEPLOY, session=1) for number in range(5)) == ()


def test_one_goal_may_hold_two_workflows() -> None:
    publish = "hugo publish > s3cmd sync > varnish purge > slackcat"
    runs = [
        *deploys()[:3],
        *(build_run(number, "publish the site", publish) for number in (90, 91, 92)),
        build_run(93, "deploy to staging and publish the site", f"{DEPLOY} > {publish}"),
    ]
    found = {tuple(keys(each)): each.runs for each in workflows_of(runs)}
    assert len(found) == 2
    assert all("m93" in runs for runs in found.values())


def test_a_workflow_that_does_more_than_another_is_listed_beside_it() -> None:
    log = "edit CHANGELOG.md > git add > git commit"
    runs = [
        *other_work(),
        *(build_run(number, "commit and update the changelog", log) for number in range(10, 20)),
        *(build_run(number, "make a release", f"{log} > git tag > gh release create") for number in (30, 31, 32)),
    ]
    assert [(each.uses, "git tag" in keys(each)) for each in workflows_of(runs)] == [(13, False), (3, True)]


def test_the_id_stays_while_a_workflow_gains_runs() -> None:
    runs = [*other_work(), *deploys()]
    listed = [workflows_of(runs[:many]) for many in range(len(other_work()) + 3, len(runs) + 1)]
    assert len({each.id for (each,) in listed}) == 1
    assert [each.uses for (each,) in listed] == [3, 4, 5, 6, 7, 8]


def test_the_order_in_which_runs_are_given_does_not_matter() -> None:
    runs = deploys()[:4]
    assert len({repr(workflows_of(each)) for each in permutations(runs)}) == 1


def test_runs_without_a_request_still_show_their_steps() -> None:
    runs = [*other_work(), *other_work(40), *(build_run(number, "", DEPLOY) for number in range(10, 15))]
    (found,) = workflows_of(runs)
    assert found.title == DEPLOY.replace(" > ", " → ")
    assert found.words == ()


def test_what_was_typed_to_a_local_model_names_no_workflow() -> None:
    (found,) = workflows_of(
        [*other_work(), *other_work(40), *(structs.replace(run, local=True) for run in deploys()[:5])]
    )
    assert (found.title, found.words) == (DEPLOY.replace(" > ", " → "), ())


def test_a_run_that_only_shares_everyday_steps_does_not_join() -> None:
    finder = find_patterns(
        [*deploys()[:3], build_run(99, "deploy notes", "edit .md > git add > git commit")], PatternPolicy()
    )
    assert [len(pattern.members) for pattern in finder.patterns] == [3]


STEPS = st.lists(st.sampled_from("abcd"), max_size=14)


@given(STEPS)
def test_folding_leaves_no_repeat_and_no_step_out(steps: list[str]) -> None:
    folded, repeated = fold_repeats(steps)
    assert set(folded) == set(steps)
    assert repeated <= set(folded)
    assert fold_repeats(folded)[0] == folded
    assert all(
        folded[at : at + size] != folded[at + size : at + 2 * size]
        for size in range(1, 5)
        for at in range(len(folded) - 2 * size + 1)
    )


@given(STEPS, STEPS)
def test_what_two_sequences_share_is_in_both_in_order(one: list[str], other: list[str]) -> None:
    shared = shared_in_order(one, other)
    for steps in (one, other):
        rest = iter(steps)
        assert all(key in rest for key in shared)
    assert len(shared) == len(shared_in_order(other, one))
    assert sequence_f1(one, one) == 1.0
    assert 0.0 <= sequence_f1(one, other) <= 1.0
