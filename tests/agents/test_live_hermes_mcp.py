"""The real Hermes with our MCP server: its model asks, what it suggests waits for the user, and failures are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.agents.abilities import shows
from tests.agents.client_sandbox import block_network
from tests.agents.clients import program
from tests.agents.hermes_client import Client
from tests.agents.scripted_model import Turn, Use, serving
from tests.agents.test_live_hermes import World
from tests.commands import WISEN
from wisen.model.event import Outcome, Status

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.needs("hermes")

LESSON = "The orchard counts with count.py and no option."
SCRIPT = {
    "the ladder stays": [Turn("Noted.")],
    "where was that": [
        Turn("", (Use("mcp__wisen__recall", {"question": "ladder"}),)),
        Turn("", (Use("mcp__wisen__remember", {"text": LESSON}),)),
        Turn("", (Use("mcp__wisen__explain", {"id": "R-00000000"}),)),
        Turn("There."),
    ],
}
SETTINGS = """mcp_servers:
  wisen:
    command: {}
    args: [mcp]
    env:
      WISEN_HOME: {}
"""


@pytest.mark.requirement("X5", "C8")
@shows("hermes", "mcp")
def test_the_client_recalls_and_suggests_through_our_server(tmp_path: Path) -> None:
    settings = SETTINGS.format(json.dumps(str(WISEN)), json.dumps(str(tmp_path / "ada" / "wisen")))
    with serving(SCRIPT) as model, block_network() as (ways, _):
        client = Client(program("hermes"), tmp_path, model.address, more=settings)
        client.environment.update(ways)
        world = World(client, model)
        world.asked("remember that the ladder stays in the barn")
        world.cycle()
        *_, last = world.asked("where was that")
        world.cycle()
        waiting = json.loads(world.wisen("proposals", "--json"))["proposals"]
        entries = world.wisen("entries", "list", "--all", "--json")
        ends = [each.status for each in world.events() if isinstance(each, Outcome)]
    delivered = last[last.rindex("where was that") :]
    assert "the ladder stays in the barn" in delivered, "what was recalled did not reach the model"
    assert "untrusted_tool_result" in delivered, "Hermes no longer marks what a server says: the docs say it does"
    assert "you cannot approve it" in delivered
    (waits,) = [each for each in waiting if each["agent"]]
    assert (waits["text"], waits["type"], waits["waits"]) == (LESSON, "suggestion", True)
    assert LESSON not in entries, "an agent's words became a lesson"
    assert ends == [Status.OK, Status.OK, Status.FAILED]
