"""`wisen skills …`, and proposals of skills in the commands for all proposals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import run
from tests.skills.skill_world import FILES, make_project, skills_of

pytestmark = pytest.mark.requirement("S13")


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = make_project(home)
    with skills_of(made) as (_, service, _):
        service.propose()
    monkeypatch.chdir(made)
    return made


def test_a_proposed_skill_is_listed_shown_written_retired_restored_and_undone(project: Path) -> None:
    path = project / FILES
    (state,) = json.loads(run("skills", "--json").stdout)["skills"]
    assert (state["name"], state["status"], state["path"]) == ("deploy-staging", "proposed", str(path))
    shown = run("proposals", "show", "1").stdout
    assert "Skill deploy-staging" in shown
    assert "Careful: git tag" in shown
    assert "+git tag v{version}" in shown.replace("+   ", "+")
    assert "docker push" in run("skills", "show", "deploy-staging").stdout
    assert "Would be approved" in run("proposals", "approve", "1", "--dry-run").stdout
    assert not path.exists()
    run("proposals", "approve", "1")
    written = path.read_bytes()
    assert run("skills").stdout.startswith("deploy-staging  (in use)")
    assert "Would be retired" in run("skills", "retire", "deploy-staging", "--dry-run").stdout
    assert path.read_bytes() == written
    run("skills", "retire", "deploy-staging")
    assert not path.exists()
    assert "(retired)" in run("skills", "list").stdout
    assert "Would be back" in run("skills", "restore", "deploy", "--dry-run").stdout
    assert not path.exists()
    run("skills", "restore", "deploy-staging")
    assert path.read_bytes() == written
    run("undo", "--yes")
    assert not path.exists()
    assert json.loads(run("proposals", "--json").stdout)["proposals"][0]["waits"]


def test_a_goal_without_a_workflow_is_an_error_that_says_what_to_do(project: Path) -> None:
    failed = run("skills", "make", "water the plants", expect=1)
    assert "wisen learn reads new sessions" in failed.stderr


def test_without_workflows_nothing_differs(project: Path) -> None:
    run("proposals", "approve", "1")
    assert "change nothing" in run("skills", "diff").stdout
    assert json.loads(run("skills", "diff", "--json").stdout) == {"skills": []}


def test_an_unknown_skill_is_an_error(project: Path) -> None:
    assert "No skill is called 'nosuch'" in run("skills", "show", "nosuch", expect=1).stderr


def test_a_rejected_skill_is_not_listed(project: Path) -> None:
    run("proposals", "reject", "1")
    assert json.loads(run("skills", "--json").stdout) == {"skills": []}
