"""The real Codex is asked about earlier turns, points at words over MCP, and the log proves or refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.pointing_scenes import ASKS, FIRST, NEGATED, PASTED, assert_proven, open_turns, pointing, typing
from tests.agents.scripted_model import Turn, Use
from tests.agents.test_live_codex import SCRIPT, World, a_world
from tests.agents.test_live_codex_mcp import OURS, add, offered
from tests.commands import WISEN

pytestmark = pytest.mark.needs("codex")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        yield world


@pytest.mark.requirement("X7", "C8", "N4")
def test_codex_points_and_only_what_was_typed_is_learnt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    added: dict[str, list[Turn]] = {FIRST: [Turn("There are none.")]}
    typing(added)
    for name, turns in added.items():
        monkeypatch.setitem(SCRIPT, name, turns)
    world.wisen("install", "codex", "--pointing", "--yes")
    world.trust()
    add(world, WISEN, "mcp")
    world.asked(FIRST)
    world.asked("resume", "--last", NEGATED)
    world.asked("resume", "--last", PASTED)
    world.cycle()
    asked: dict[str, list[Turn]] = {}
    pointing(asked, open_turns(world), lambda name, given: Use(name, given, namespace=OURS))
    monkeypatch.setitem(SCRIPT, ASKS, asked[ASKS])
    assert_proven(world, world.asked(ASKS), "codex")
    assert "point" in offered(world.model.requests[-1])
    world.wisen("feedback", "off")
    world.asked(FIRST)
    assert "point" not in offered(world.model.requests[-1])
