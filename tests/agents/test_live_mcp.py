"""The real Claude Code with our MCP server: it lists the tools, calls them, and what it suggests waits for the user."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.agents.abilities import shows
from tests.agents.scripted_model import Turn, Use
from tests.agents.test_live_claude_code import SCRIPT, World, a_world
from tests.commands import WISEN

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.needs("claude-code")

LESSON = "The orchard counts with count.py and no option."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        yield world
        assert world.outside == []


@pytest.mark.requirement("X5", "C8")
@shows("claude-code", "mcp")
def test_the_client_recalls_and_suggests_through_our_server(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    question, lesson = Use("mcp__wisen__recall", {"question": "ladder"}), Use("mcp__wisen__remember", {"text": LESSON})
    monkeypatch.setitem(SCRIPT, "the ladder stays", [Turn("Noted.")])
    monkeypatch.setitem(SCRIPT, "where was that", [Turn("", (question,)), Turn("", (lesson,)), Turn("There.")])
    config = world.client.project / "mcp.json"
    server = {"command": str(WISEN), "args": ["mcp"], "env": {"WISEN_HOME": str(world.home)}}
    config.write_text(json.dumps({"mcpServers": {"wisen": server}}))
    world.asked("remember that the ladder stays in the barn")
    world.cycle()
    allowed = ("--mcp-config", str(config), "--allowedTools", "mcp__wisen__recall", "mcp__wisen__remember")
    last = world.asked("where was that", *allowed)[-1]
    delivered = last[last.rindex("where was that") :]
    assert "the ladder stays in the barn" in delivered, "what was recalled did not reach the model"
    assert "you cannot approve it" in delivered
    world.cycle()
    (waits,) = [each for each in json.loads(world.wisen("proposals", "--json"))["proposals"] if each["agent"]]
    assert (waits["text"], waits["agent"], waits["type"], waits["waits"]) == (LESSON, "claude-code", "suggestion", True)
    assert LESSON not in world.wisen("entries", "list", "--all", "--json"), "an agent's words became a lesson"
