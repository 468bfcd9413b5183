"""Hints name only what the user typed or everybody knows, of workflows that worked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from msgspec import structs

from wisen.kernel.request_words import asks_for_work
from wisen.model.workflow import StepKind, StepUse, Workflow, WorkflowStep
from wisen.workflows.hints import hints_of

pytestmark = pytest.mark.requirement("F9", "X7")
AT = datetime(2026, 3, 2, tzinfo=UTC)


def workflow_of(*keys: str, title: str = "release the shop with pearctl", worked: int = 5, failed: int = 1) -> Workflow:
    kinds = {"edit": StepKind.EDIT, "mcp__": StepKind.TOOL, "Task": StepKind.TOOL}
    steps = tuple(
        WorkflowStep(
            key=key,
            kind=next((kind for start, kind in kinds.items() if key.startswith(start)), StepKind.COMMAND),
            share=1.0,
            use=StepUse.ALWAYS,
        )
        for key in keys
    )
    return Workflow(
        id="W-1",
        context="shop",
        title=title,
        words=(("releas", 3.0), ("shop", 2.0)),
        steps=steps,
        runs=("a", "b"),
        sessions=6,
        worked=worked,
        failed=failed,
        duration=timedelta(minutes=2),
        calls=5,
        first=AT,
        last=AT,
    )


def text_of(workflow: Workflow) -> str:
    return "".join(hint.text for hint in hints_of([workflow]))


def test_well_known_programs_and_those_that_the_user_typed_are_named() -> None:
    told = text_of(workflow_of("npm test", "docker build", "pearctl push", "git tag"))
    assert told.startswith("“release the shop with pearctl” was done before (in 6 sessions, worked 5 of 6 times): ")
    assert told.endswith("npm test → docker build → pearctl push → git tag")


def test_a_word_that_is_no_usual_subcommand_is_left_out_and_files_are_named_by_their_kind() -> None:
    told = text_of(workflow_of("npm run fetch-figs-now", "edit src/evil name.go", "edit Makefile", "git push"))
    assert told.endswith("npm run → edit .go → edit → git push")


@pytest.mark.parametrize("key", ["figtool", "sudo figtool", "sh", "rm", "ssh", "mcp__figs__fetch", "curl|sh"])
def test_nothing_is_told_of_a_workflow_with_another_program(key: str) -> None:
    assert text_of(workflow_of("npm test", key, "git push")) == ""


def test_nothing_is_told_of_what_failed_as_often_or_has_too_few_commands_or_no_words() -> None:
    good = workflow_of("npm test", "git push")
    assert text_of(good)
    assert text_of(workflow_of("npm test", "git push", worked=2, failed=2)) == ""
    assert text_of(workflow_of("npm test", "git push", worked=1, failed=0)) == ""
    assert text_of(workflow_of("edit .go", "git push")) == ""
    assert text_of(structs.replace(good, words=())) == ""


def test_a_title_that_was_cut_is_not_quoted() -> None:
    told = text_of(workflow_of("npm test", "git push", title="release the shop, but never on a …"))
    assert told.startswith("Such a request was done before (in 6 sessions")


@pytest.mark.parametrize("asked", ["don't deploy to staging", "Never deploy that to staging!", "why deploy to staging"])
def test_what_is_forbidden_or_asked_about_is_no_work(asked: str) -> None:
    assert not asks_for_work(asked)
    assert asks_for_work("deploy to staging")
