"""The real Codex with our MCP server: it offers our tools, and what they answer reaches the model with its source."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.agents.abilities import shows
from tests.agents.scripted_model import Turn, Use
from tests.agents.test_live_codex import SCRIPT, World, a_world
from tests.commands import WISEN
from wisen.model.event import Call, Outcome, Status

pytestmark = pytest.mark.needs("codex")

OURS = "mcp__wisen"
METHOD_NOT_FOUND = -32601
LESSON = "The orchard counts with count.py and no option."
BETWEEN = """
import json, subprocess, sys, threading
log, program = open(sys.argv[1], "a"), sys.argv[2:]
server = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def note(who, line):
    log.write(json.dumps([who, json.loads(line)]) + "\\n")
    log.flush()

def back():
    for line in server.stdout:
        note("server", line)
        if json.loads(line).get("id") != "strange":
            print(line, end="", flush=True)

answers = threading.Thread(target=back)
answers.start()
for line in sys.stdin:
    note("client", line)
    server.stdin.write(line)
    if json.loads(line).get("method") == "notifications/initialized":
        strange = json.dumps({"jsonrpc": "2.0", "id": "strange", "method": "orchard/ripen", "params": {}})
        server.stdin.write(strange + "\\n")
    server.stdin.flush()
server.stdin.close()
answers.join()
"""
"""Stands between the client and the server, writes down what they say, and asks once for what nobody knows."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        yield world


def add(world: World, *command: str | Path, waits: bool = True) -> None:
    """Add a server as docs/mcp.md tells it. `waits`: Codex is to wait for it before it asks the model."""
    words = [world.client.program, "mcp", "add", "wisen", "--env", f"WISEN_HOME={world.home}", "--", *map(str, command)]
    subprocess.run(words, cwd=world.project, env=world.environment, check=True, timeout=60, capture_output=True)
    if waits:
        config = world.client.home / ".codex" / "config.toml"
        head = "[mcp_servers.wisen]\n"
        text = config.read_text()
        assert text.count(head) == 1
        config.write_text(text.replace(head, f"{head}required = true\n"))


def offered(request: Mapping[str, Any]) -> set[str]:
    """Our tools in a request."""
    return {each["name"] for tool in request["tools"] if tool.get("name") == OURS for each in tool["tools"]}


@pytest.mark.requirement("X5", "C8")
@shows("codex", "mcp")
def test_codex_recalls_and_suggests_through_our_server(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    uses = (
        Use("recall", {"question": "ladder"}, namespace=OURS),
        Use("explain", {"id": "nothing"}, namespace=OURS),
        Use("remember", {"text": LESSON}, namespace=OURS),
    )
    monkeypatch.setitem(SCRIPT, "the ladder stays", [Turn("Noted.")])
    monkeypatch.setitem(SCRIPT, "where was that", [*(Turn("", (use,)) for use in uses), Turn("There.")])
    between, log = world.home / "between.py", world.home / "frames.jsonl"
    between.write_text(BETWEEN)
    world.asked("remember that the ladder stays in the barn")
    world.cycle()
    add(world, sys.executable, between, log, WISEN, "mcp")
    first, second, third, last = world.asked("where was that")
    assert {"recall", "remember", "explain", "context"} <= offered(world.model.requests[-4])
    assert "the ladder stays in the barn" not in first
    delivered = second[second.rindex("where was that") :]
    assert "remember that the ladder stays in the barn" in delivered, "what was recalled did not reach the model"
    assert '"source":"codex, session' in delivered
    assert "Nothing here has the id" in third
    assert "you cannot approve it" in last

    frames = [json.loads(line) for line in log.read_text().splitlines()]
    answers = {message["id"]: message for who, message in frames if who == "server" and "id" in message}
    asked = {message["id"]: message["method"] for who, message in frames if who == "client" and "id" in message}
    assert asked.keys() <= answers.keys(), "a request was not answered"
    assert [method for id_, method in asked.items() if "error" in answers[id_]] == []
    assert answers["strange"]["error"]["code"] == METHOD_NOT_FOUND

    calls = {each.id: each.tool for each in world.events() if isinstance(each, Call)}
    ends = [(calls[each.call], each.status) for each in world.events() if isinstance(each, Outcome)]
    assert ends == [
        ("mcp__wisen__recall", Status.OK),
        ("mcp__wisen__explain", Status.FAILED),
        ("mcp__wisen__remember", Status.OK),
    ]
    assert world.typed() == world.prompts
    (waits,) = [each for each in json.loads(world.wisen("proposals", "--json"))["proposals"] if each["agent"]]
    assert (waits["text"], waits["type"], waits["waits"]) == (LESSON, "suggestion", True)
    assert waits["agent"] == "codex"
    assert LESSON not in world.wisen("entries", "list", "--all", "--json"), "an agent's words became a lesson"


def test_codex_does_not_wait_for_a_server_unless_it_is_required(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Turn("", (Use("exec_command", {"cmd": "sleep 8"}),))
    monkeypatch.setitem(SCRIPT, "where was that", [look, Turn("There.")])
    late = world.home / "late.py"
    late.write_text("import os, sys, time\ntime.sleep(2)\nos.execv(sys.argv[1], sys.argv[1:])\n")
    add(world, sys.executable, late, WISEN, "mcp", waits=False)
    world.asked("where was that")
    first, last = world.model.requests
    assert offered(first) == set()
    assert "recall" in offered(last)
