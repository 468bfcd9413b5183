"""Skills on disk are found by recall and brief, whoever wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

import wisen
from tests.commands import run
from tests.skills.skill_world import make_project
from wisen.model.memory import MemoryKind

pytestmark = pytest.mark.requirement("S13")


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a skill, one of the user for all projects, and one in a folder that no session worked in."""
    made = make_project(home)
    for folder, name, what in (
        (made / ".claude/skills", "ship-pears", "Deploys a version of the pears to staging."),
        (home / ".agents/skills", "water-plants", "Waters the plants in the greenhouse."),
        (home / "elsewhere" / ".claude/skills", "prune-trees", "Prunes the trees."),
    ):
        path = folder / name / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(f"---\nname: {name}\ndescription: {what}\n---\n\nThe body.\n")
    monkeypatch.chdir(made)
    with wisen.open_learner() as learner:
        learner.learn()
    return made


def test_a_skill_is_recalled_by_what_it_is_for(project: Path) -> None:
    with wisen.open_learner() as learner:
        found = learner.memory.recall("deploy pears to staging", project, kinds=(MemoryKind.SKILL,))
    texts = [each.memory.text for group in found.groups for each in group.memories]
    assert texts == ["ship-pears: Deploys a version of the pears to staging."]


def test_a_skill_of_the_user_is_found_everywhere_and_that_of_another_project_is_not(project: Path) -> None:
    assert "water-plants" in run("recall", "water the plants in the greenhouse").stdout
    assert "prune-trees" not in run("recall", "prune the trees").stdout


def test_a_brief_names_the_skill_for_its_task(project: Path) -> None:
    assert "ship-pears" in run("brief", "deploy the pears to staging").stdout
