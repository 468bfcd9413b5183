"""The real Claude Code is asked about earlier messages, quotes them over MCP, and the log confirms or refutes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.pointing_scenes import ASKS, FIRST, NEGATED, PASTED, assert_proven, open_turns, pointing, typing
from tests.agents.scripted_model import Turn, Use
from tests.agents.test_live_claude_code import SCRIPT, World, a_world
from tests.commands import WISEN

pytestmark = pytest.mark.needs("claude-code")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        yield world
        assert world.outside == []


@pytest.mark.requirement("X7", "C8", "N4")
def test_claude_code_points_and_only_what_was_typed_is_learnt(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    added: dict[str, list[Turn]] = {}
    typing(added)
    for name, turns in added.items():
        monkeypatch.setitem(SCRIPT, name, turns)
    world.wisen("install", "claude-code", "--pointing", "--yes")
    config = world.client.project / "mcp.json"
    server = {"command": str(WISEN), "args": ["mcp"], "env": {"WISEN_HOME": str(world.home)}}
    config.write_text(json.dumps({"mcpServers": {"wisen": server}}))
    allowed = ("--mcp-config", str(config), "--allowedTools", "mcp__wisen__point")
    world.asked(FIRST, *allowed)
    world.asked(NEGATED, "--continue", *allowed)
    world.asked(PASTED, "--continue", *allowed)
    world.cycle()
    asked: dict[str, list[Turn]] = {}
    pointing(asked, open_turns(world), lambda name, given: Use(f"mcp__wisen__{name}", given))
    monkeypatch.setitem(SCRIPT, ASKS, asked[ASKS])
    assert_proven(world, world.asked(ASKS, *allowed), "claude-code")
    world.wisen("feedback", "off")
    world.asked(FIRST, *allowed)
    assert "point" not in json.dumps([each.get("name") for each in world.model.requests[-1].get("tools", [])])
