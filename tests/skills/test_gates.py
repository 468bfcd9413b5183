"""A workflow becomes a skill if it was asked for, or was used often enough with enough success and is not routine."""

from __future__ import annotations

import pytest
from msgspec import structs

from tests.deploy_runs import command, deploy_runs, run_of, workflow_of
from wisen.skills.gates import asks_for_skill, check_gates
from wisen.skills.settings import SkillsSettings

SETTINGS = SkillsSettings()
RUNS = deploy_runs()
DEPLOY = workflow_of(RUNS)


def test_eight_deploys_of_which_seven_worked_are_worth_a_skill() -> None:
    assert check_gates(DEPLOY, RUNS, SETTINGS).is_open


@pytest.mark.parametrize(
    ("changes", "settings", "why"),
    [
        ({"steps": DEPLOY.steps[:2]}, SETTINGS, "routine"),
        ({}, SkillsSettings(calls=7), "6 tool calls, of 7"),
        ({"sessions": 1}, SETTINGS, "1 sessions, of 2"),
        ({"runs": DEPLOY.runs[:4]}, SETTINGS, "4 times, of 5"),
        ({"worked": 5, "failed": 3}, SETTINGS, "5 of 8 judged runs worked"),
        ({"worked": 0, "failed": 0}, SETTINGS, "0 of 0 judged runs"),
    ],
)
def test_each_gate_closes_by_itself_and_says_why(
    changes: dict[str, object], settings: SkillsSettings, why: str
) -> None:
    gate = check_gates(structs.replace(DEPLOY, **changes), RUNS, settings)
    assert not gate.is_open
    assert why in gate.why


def test_what_was_asked_for_needs_no_repeat() -> None:
    runs = [run_of(0, "publish it, and remember how to do that", [command("npm publish")])]
    gate = check_gates(workflow_of(runs, ["npm publish"]), runs, SETTINGS)
    assert gate.is_open
    assert gate.was_asked


@pytest.mark.parametrize(
    "text",
    [
        "Remember how to deploy this.",
        "记住这个流程",
        "save this as a skill",
        "turn that into a skill",
        "Merk dir, wie das geht",
    ],
)
def test_asking_for_a_skill_is_understood(text: str) -> None:
    assert asks_for_skill(text)


@pytest.mark.parametrize("text", ["remember to use pnpm", "how do I deploy?", "list my skills", "记得用 pnpm"])
def test_other_requests_ask_for_none(text: str) -> None:
    assert not asks_for_skill(text)
