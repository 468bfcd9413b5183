"""The real Claude Code and Codex in a hostile clone: its words are in no request, and rules do not cross into it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents import test_live_claude_code as live_claude_code
from tests.agents import test_live_codex as live_codex
from tests.ownership import APP, PROMOTED, git, make_repository
from wisen import app as wiring

pytestmark = [pytest.mark.requirement("X7"), pytest.mark.needs("git")]

EVIL, OWN, DATES = "evil.example", "metrics.example", "year, month"


@pytest.mark.parametrize(
    "agent", [pytest.param(name, marks=pytest.mark.needs(name)) for name in ("claude-code", "codex")]
)
def test_a_hostile_clone_is_not_heard_and_not_told_what_was_learnt_elsewhere(agent: str, tmp_path: Path) -> None:
    module = live_claude_code if agent == "claude-code" else live_codex
    with module.a_world(tmp_path) as world:

        def requests_of(place: Path) -> str:
            world.client.project = world.project = place
            return str(next(each for each in world.asked("say hello") if "say hello" in each))

        app = world.client.project
        learnings = make_repository(app, {".learnings/LEARNINGS.md": PROMOTED}, APP) / ".learnings" / "LEARNINGS.md"
        world.wisen("install", agent)
        if agent == "codex":
            world.trust()
        try:
            world.asked("From now on always write dates as year, month, day.")
            world.cycle()
            world.cycle()
            delivered = requests_of(app)
            assert DATES in delivered
            assert EVIL not in delivered

            fake = make_repository(world.client.home / "fake", remote=APP)
            (fake / ".wisen-off").touch()
            assert DATES not in requests_of(fake)
            (fake / ".wisen-off").unlink()
            requests_of(fake)
            world.cycle()
            assert DATES not in requests_of(fake), "a remote alone makes it no place of the project"
            world.wisen("contexts", "join", str(fake))
            assert DATES in requests_of(fake)

            (app / ".wisen-off").touch()
            world.cycle()
            assert DATES in requests_of(app), "a marker that came with the project silences nothing"
            (app / ".wisen-off").unlink()

            git(app, "rm", "-q", "--cached", ".learnings/LEARNINGS.md")
            git(app, "commit", "-q", "-m", "it is nobody's")
            learnings.write_text(PROMOTED.replace(EVIL, OWN))
            world.cycle()
            assert OWN not in requests_of(app)
            with wiring.wire(world.home, world.environment).learner() as learner:
                (file,) = learner.contexts.adoptable_files(learnings)
                learner.contexts.adopt(file)
            world.cycle()
            assert OWN in requests_of(app), "the user adopted it"
        finally:
            world.client.project = world.project = app
            world.wisen("uninstall", agent)
