"""The opencode plug-in in Node with a fake hook client: when it asks, and what it does with the answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from wisen.agents.opencode import install
from wisen.delivery.launcher import render_script
from wisen.model.hook import Program

pytestmark = pytest.mark.needs("node")

PLUGIN = Path(install.__file__).parent / "plugin" / "wisen.js"
DRIVER = """
import plugin from "./wisen.mjs"
const { options, steps } = JSON.parse(process.argv[2])
const hooks = await plugin({ directory: "/home/ada/shop" }, options)
const found = []
for (const [name, input, output] of steps) {
  let thrown = null
  try { if (hooks[name]) await hooks[name](input, output) } catch (error) { thrown = error.message }
  found.push([thrown, output])
}
console.log(JSON.stringify([Object.keys(hooks), found]))
"""
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:-1], event, told]) + "\\n")
said = {"additionalContext": event.upper()}
if event == "before-call" and "rm" in told["tool_input"]["command"]:
    said = {"permissionDecision": "deny", "permissionDecisionReason": "NO"}
if event not in ("stop", "session-end"):
    print(json.dumps({"hookSpecificOutput": said}))
"""
Step = list[Any]


class World:
    """A home with a stand-in for the client in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "wisen.mjs").write_bytes(PLUGIN.read_bytes())
        (folder / "driver.mjs").write_text(DRIVER)
        (folder / "client.py").write_text(STAND_IN)
        self.options = {"home": str(folder)}
        self.launch(python=sys.executable)

    def launch(self, *, python: str, client: str = "client.py") -> None:
        """Have the launcher start something."""
        program = Program(python=python, client=str(self.folder / client))
        (self.folder / "hook").write_text(render_script(program, ""))

    def run(self, *steps: Step) -> tuple[list[str], list[tuple[str | None, Any]]]:
        """The hooks that the plug-in has, and what each step threw and made of its output."""
        script = json.dumps({"options": self.options, "steps": steps})
        command = ["node", str(self.folder / "driver.mjs"), script]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        names, found = json.loads(done.stdout)
        return names, [tuple(each) for each in found]

    def fired(self) -> list[tuple[str, dict[str, Any]]]:
        """The events that the client was asked about, and with what."""
        path = self.folder / "fired.jsonl"
        lines = path.read_text().splitlines() if path.exists() else []
        found = [json.loads(line) for line in lines]
        assert all(words == ["--home", str(self.folder), "--agent", "opencode"] for words, *_ in found)
        return [(event, payload) for _, event, payload in found]

    def guards(self, text: str) -> None:
        """What the page says that tells which guards there are."""
        (self.folder / "snapshots").mkdir(exist_ok=True)
        (self.folder / "snapshots" / "current.json").write_text(text)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def event(kind: str, **properties: object) -> Step:
    return ["event", {"event": {"type": kind, "properties": properties}}, None]


def says(session: str, text: str, **more: object) -> Step:
    part = {"id": "prt_1", "messageID": "msg_1", "sessionID": session, "type": "text", "text": text, **more}
    return ["chat.message", {"sessionID": session}, {"message": {}, "parts": [part]}]


def before(command: str, call: str = "c1") -> Step:
    given = {"tool": "bash", "sessionID": "s", "callID": call}
    return ["tool.execute.before", given, {"args": {"command": command}}]


def after(command: str, code: int | None, call: str = "c1", session: str = "s") -> Step:
    given = {"tool": "bash", "sessionID": session, "callID": call, "args": {"command": command}}
    return ["tool.execute.after", given, {"output": "no", "metadata": {"exit": code}}]


def test_a_session_begins_once_and_again_after_it_was_summed_up(world: World) -> None:
    _, found = world.run(
        event("session.created", sessionID="s", info={"id": "s"}),
        says("s", '"fix it"'),
        says("s", "go on"),
        event("session.compacted", sessionID="s"),
        says("s", "and on"),
        says("old", "hello"),
        event("session.idle", sessionID="s"),
    )
    events = [(name, each.get("source"), each.get("prompt")) for name, each in world.fired()]
    assert events == [
        ("session-start", "startup", None),
        ("prompt", None, "fix it"),
        ("prompt", None, "go on"),
        ("session-start", "compact", None),
        ("prompt", None, "and on"),
        ("session-start", "resume", None),
        ("prompt", None, "hello"),
        ("stop", None, None),
        ("session-end", None, None),
    ]
    parts = found[1][1]["parts"]
    assert [each["text"] for each in parts] == ['"fix it"', "SESSION-START\nPROMPT"]
    assert parts[1] == {**parts[0], "id": "prt_1wisen", "synthetic": True, "text": parts[1]["text"]}


def test_what_nobody_typed_is_no_prompt(world: World) -> None:
    world.run(says("s", "a file", synthetic=True), ["chat.message", {"sessionID": "s"}, {"message": {}, "parts": []}])
    assert [(name, each.get("prompt")) for name, each in world.fired()] == [("session-start", None), ("prompt", "")]


def test_a_sub_agent_gets_nothing_and_its_failures_are_those_of_the_session_that_began_it(world: World) -> None:
    _, found = world.run(
        event("session.created", sessionID="kid", info={"id": "kid", "parentID": "s"}),
        says("kid", "look everywhere"),
        after("ls nowhere", 2, session="kid"),
        event("session.idle", sessionID="kid"),
    )
    assert [(name, each["session_id"]) for name, each in world.fired()] == [("failure", "s")]
    assert found[2][1]["output"] == "no\nFAILURE"


def test_only_a_command_that_failed_is_asked_about(world: World) -> None:
    _, found = world.run(after("ls", 0), after("ls", None), after("ls nowhere", 2))
    ((name, payload),) = world.fired()
    assert (name, payload["error"], payload["tool_name"], payload["tool_use_id"]) == (
        "failure",
        "Exit code 2\nno",
        "bash",
        "c1",
    )
    assert (payload["cwd"], payload["tool_input"]) == ("/home/ada/shop", {"command": "ls nowhere"})
    assert [each["output"] for _, each in found] == ["no", "no", "no\nFAILURE"]


@pytest.mark.requirement("F6")
@pytest.mark.parametrize(("page", "asks"), [("{}", False), ('{"guards": {"": "d1"}}', True), ("{", True)])
def test_before_calls_it_asks_only_while_there_are_guards(world: World, page: str, *, asks: bool) -> None:
    world.guards(page)
    _, found = world.run(before("rm x"))
    assert found[0][0] == ("NO" if asks else None)
    assert [name for name, _ in world.fired()] == (["before-call"] if asks else [])


@pytest.mark.requirement("F6")
def test_a_warning_stands_behind_the_result_of_its_call(world: World) -> None:
    world.guards('{"guards": {"": "d1"}}')
    _, found = world.run(before("ls", "c1"), after("ls", 0, "c2"), after("ls", 0, "c1"), after("ls", 0, "c1"))
    assert [thrown for thrown, _ in found] == [None] * 4
    assert [each["output"] for _, each in found[1:]] == ["no", "no\nBEFORE-CALL", "no"]


def test_without_a_page_nobody_is_asked_before_calls(world: World) -> None:
    _, found = world.run(before("rm x"))
    assert (found[0][0], world.fired()) == (None, [])


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("broken", ["python", "client", "home", "launcher"])
def test_whatever_is_wrong_with_the_client_nothing_is_thrown_or_changed(world: World, broken: str) -> None:
    world.guards('{"guards": {"": "d1"}}')
    if broken == "python":
        world.launch(python="/no/such/python")
    elif broken == "client":
        world.launch(python=sys.executable, client="gone.py")
    elif broken == "home":
        world.options = {"home": str(world.folder / "gone")}
    else:
        (world.folder / "hook").write_text("exit 2")
    steps = [event("session.idle", sessionID="s"), says("s", "x"), before("rm x"), after("ls", 2), ["event", {}, None]]
    _, found = world.run(*steps)
    assert [thrown for thrown, _ in found] == [None] * 5
    assert found[1][1]["parts"] == says("s", "x")[2]["parts"]
    assert found[3][1]["output"] == "no"


@pytest.mark.requirement("X10")
def test_a_client_that_hangs_is_left_behind(world: World) -> None:
    (world.folder / "client.py").write_text("import time; time.sleep(100)")
    _, found = world.run(after("ls", 2))
    assert found[0] == (None, {"output": "no", "metadata": {"exit": 2}})


def test_without_its_options_it_does_nothing(world: World) -> None:
    world.options = {}
    assert world.run() == ([], [])
