"""The OpenClaw plug-in in plain Node, with fakes for host and hook client: it never fails a turn."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from wisen.agents.openclaw import install
from wisen.delivery.launcher import render_script
from wisen.model.hook import Program

pytestmark = pytest.mark.needs("node")

PLUGIN = Path(install.__file__).parent / "plugin" / "index.js"
HOST = """
import { readFileSync } from "node:fs";
const { plugin, config, version, steps } = JSON.parse(readFileSync(0, "utf8"));
const entry = (await import(plugin)).default;
const hooks = {}, warned = [];
const agent = { resolveAgentWorkspaceDir: (told, name) => `${told.at}/${name}` };
const api = {
  runtime: { version, agent },
  pluginConfig: config, config: { at: "/agents" }, logger: { warn: (text) => warned.push(text) },
  on: (name, handler) => { hooks[name] = handler; },
  registerAgentToolResultMiddleware: (handler, options) => { hooks.middleware = handler; hooks.options = options; },
};
entry.register(api);
const answers = [];
for (const [name, event, ctx, decision] of steps) {
  const answer = hooks[name]?.(event, ctx);
  const promised = answer instanceof Promise;
  answers.push([promised, (await answer) ?? null, event ?? null]);
  if (decision) (await answer).requireApproval.onResolution(decision);
}
console.log(JSON.stringify({ names: Object.keys(hooks).sort(), answers, warned }));
"""
CLIENT = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], told]) + "\\n")
ANSWER
"""
SAYS = """print(json.dumps({"hookSpecificOutput": {"additionalContext": "told at " + event}}))"""
DENIES, ASKS = (
    f"""
output = {{"permissionDecision": "{how}", "permissionDecisionReason": REASON}}
print(json.dumps({{"hookSpecificOutput": output}}))
"""
    for how in ("deny", "ask")
)
REASON = '<wisen51902 v="1" ids="G-1">\nNo.\n</wisen51902>'
NEW, OLD = "2026.9.6", "2026.5.22"
WHO = {"sessionKey": "agent:main:main", "sessionId": "s1", "workspaceDir": "/work"}
EXEC = {"toolName": "exec", "params": {"command": "false"}, "toolCallId": "c1"}
FAILED = {"content": [{"type": "text", "text": "no such"}], "details": {"exitCode": 1, "cwd": "/shop/src"}}
DONE = {"content": [{"type": "text", "text": "fine"}], "details": {"exitCode": 0}}


class World:
    """A home, a client that does what it is told, and a host."""

    def __init__(self, home: Path) -> None:
        self.home, self.client = home, home / "client.py"
        self.python = sys.executable
        (home / "snapshots").mkdir()
        self.guards({"": "0"})

    def guards(self, sheets: dict[str, str]) -> None:
        (self.home / "snapshots" / "current.json").write_text(json.dumps({"guards": sheets}))

    def run(self, answer: str, *steps: tuple[object, ...], version: str = NEW) -> dict[str, Any]:
        """What the host saw; the client answers this."""
        self.client.write_text(CLIENT.replace("ANSWER", f"REASON = {REASON!r}\n{answer}"))
        program = Program(python=self.python, client=str(self.client))
        (self.home / "hook").write_text(render_script(program, ""))
        config = {"home": str(self.home)} if self.python else {}
        script = {"plugin": str(PLUGIN), "config": config, "version": version, "steps": steps}
        command = ["node", "--input-type=module", "-e", HOST]
        done = subprocess.run(command, input=json.dumps(script), capture_output=True, text=True, check=True, timeout=60)
        seen: dict[str, Any] = json.loads(done.stdout)
        return seen

    @property
    def fired(self) -> list[tuple[list[str], dict[str, Any]]]:
        """What the client was called with."""
        log = self.home / "fired.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def events(self) -> list[str]:
        return [words[-1] for words, _ in self.fired]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_it_registers_what_the_host_knows(world: World) -> None:
    always = ["agent_end", "before_prompt_build", "before_tool_call", "session_end", "tool_result_persist"]
    assert world.run(SAYS, version=OLD)["names"] == always
    assert world.run(SAYS, version=NEW)["names"] == sorted([*always, "middleware", "options"])
    assert world.run(SAYS, version="")["names"] == always
    world.python = ""
    assert world.run(SAYS)["names"] == [], "without its settings it does nothing"


def test_a_turn_is_told_the_block_as_system_context_and_what_matters_behind_the_prompt(world: World) -> None:
    event = {"prompt": "framed: hello", "currentUserMessage": "hello", "messages": []}
    (_, answer, _), *_ = world.run(SAYS, ("before_prompt_build", event, WHO))["answers"]
    assert answer == {"appendSystemContext": "told at session-start", "appendContext": "told at prompt"}
    (start, first), (prompt, second) = world.fired
    assert start == ["--home", str(world.home), "--agent", "openclaw", "session-start"]
    assert prompt[-1] == "prompt"
    assert first == {"session_id": "s1", "cwd": "/work", "source": "again"}
    assert second == {"session_id": "s1", "cwd": "/work", "prompt": "hello"}


@pytest.mark.parametrize(
    ("ctx", "events"),
    [
        ({**WHO, "trigger": "heartbeat"}, ["session-start"]),
        ({**WHO, "trigger": "user", "inputProvenance": {"kind": "inter_session"}}, ["session-start"]),
        ({**WHO, "trigger": "user", "inputProvenance": {"kind": "external_user"}}, ["session-start", "prompt"]),
        ({**WHO, "sessionKey": "agent:main:telegram:group:7"}, []),
        ({"sessionKey": "agent:main:main"}, []),
        (None, []),
    ],
)
def test_only_the_person_is_asked_for_and_nothing_is_delivered_in_a_room(
    world: World, ctx: object, events: list[str]
) -> None:
    world.run(SAYS, ("before_prompt_build", {"prompt": "hello"}, ctx))
    assert world.events == events


@pytest.mark.parametrize(("reason", "source"), [("new", "clear"), ("shutdown", "again")])
def test_a_session_that_was_reset_under_its_own_id_begins_again(world: World, reason: str, source: str) -> None:
    turn = ("before_prompt_build", {"prompt": ""}, WHO)
    end = ("session_end", {"sessionId": "s1", "reason": reason, "nextSessionId": "s1"}, WHO)
    world.run(SAYS, turn, end, turn, turn)
    assert world.events == ["session-start", "session-end", "session-start", "session-start"]
    assert [payload.get("source") for _, payload in world.fired] == ["again", None, source, "again"]


def test_before_calls_nothing_is_called_while_there_are_no_guards(world: World) -> None:
    world.guards({})
    assert world.run(DENIES, ("before_tool_call", EXEC, WHO))["answers"][0][1] is None
    (world.home / "snapshots" / "current.json").unlink()
    assert world.run(DENIES, ("before_tool_call", EXEC, WHO))["answers"][0][1] is None
    assert world.events == []
    (world.home / "snapshots" / "current.json").write_text("{")
    world.run(DENIES, ("before_tool_call", EXEC, WHO))
    assert world.events == ["before-call"], "what cannot be read is the client's to tell"


def test_where_an_event_does_not_tell_the_place_the_host_is_asked(world: World) -> None:
    world.run(SAYS, ("before_tool_call", EXEC, {"sessionId": "s1", "agentId": "main"}))
    ((_, payload),) = world.fired
    assert payload["cwd"] == "/agents/main"


def test_a_session_that_the_host_does_not_name_is_not_taken_for_another(world: World) -> None:
    world.guards({})
    named = ("before_tool_call", EXEC, {"sessionId": "s1"})
    world.run(SAYS, named, ("tool_result_persist", persisted(FAILED)[1], {}), version=OLD)
    assert world.events == []


def test_a_guard_stops_a_call_or_has_the_person_asked(world: World) -> None:
    call = {**EXEC, "params": {"command": "false", "workdir": "/elsewhere"}}
    assert world.run(DENIES, ("before_tool_call", call, WHO))["answers"][0][1] == {"block": True, "blockReason": REASON}
    ((_, payload),) = world.fired
    assert payload == {
        "session_id": "s1", "cwd": "/elsewhere", "tool_name": "exec", "tool_input": call["params"], "tool_use_id": "c1",
    }  # fmt: skip
    asked = world.run(ASKS, ("before_tool_call", EXEC, WHO))["answers"][0][1]["requireApproval"]
    assert asked["description"] == "No."
    assert len(asked["title"]) <= 80
    long = ASKS.replace("REASON", "REASON + 'x' * 900")
    assert (
        len(world.run(long, ("before_tool_call", EXEC, WHO))["answers"][0][1]["requireApproval"]["description"]) <= 256
    )


def middleware(result: object, **more: object) -> tuple[str, object, object]:
    event = {"toolName": "exec", "toolCallId": "c1", "args": EXEC["params"], "result": result, **more}
    return "middleware", event, {"runtime": "openclaw", "sessionId": "s1", "sessionKey": "agent:main:main"}


def persisted(result: dict[str, Any]) -> tuple[str, object, object]:
    message = {"role": "toolResult", "toolCallId": "c1", "toolName": "exec", "isError": False, **result}
    return "tool_result_persist", {"toolCallId": "c1", "message": message}, {"sessionKey": "agent:main:main"}


def test_a_failed_command_gets_what_is_known_before_the_model_reads_its_result(world: World) -> None:
    world.guards({})
    ((promised, answer, _),) = world.run(SAYS, middleware(FAILED))["answers"]
    assert promised
    assert [each["text"] for each in answer["result"]["content"]] == ["no such", "told at failure"]
    ((_, payload),) = world.fired
    assert payload == {
        "session_id": "s1", "cwd": "/shop/src", "tool_name": "exec", "tool_input": {"command": "false"},
        "tool_use_id": "c1", "error": "no such",
    }  # fmt: skip


def test_on_an_older_host_it_is_added_to_the_record_at_once(world: World) -> None:
    world.guards({})
    steps = (("before_tool_call", EXEC, WHO), persisted(FAILED))
    _, (promised, answer, event) = world.run(SAYS, *steps, version=OLD)["answers"]
    assert not promised
    assert answer is None
    assert [each["text"] for each in event["message"]["content"]] == ["no such", "told at failure"]
    ((_, payload),) = world.fired
    assert (payload["tool_input"], payload["session_id"]) == ({"command": "false"}, "s1")


def test_a_result_is_looked_at_once_where_the_host_tells_it_twice(world: World) -> None:
    *_, (_, _, event) = world.run(SAYS, middleware(FAILED), persisted(FAILED))["answers"]
    assert world.events == ["failure"]
    assert len(event["message"]["content"]) == 1


@pytest.mark.parametrize(
    "step",
    [
        middleware(DONE),
        middleware({**DONE, "details": None}, isError=True),
        middleware({**FAILED, "details": {"status": "blocked"}}, toolName="write", isError=True),
        middleware(None),
        persisted(DONE),
    ],
)
def test_what_did_not_fail_or_was_stopped_is_not_asked_about(world: World, step: tuple[str, object, object]) -> None:
    ((_, answer, _),) = world.run(SAYS, step)["answers"]
    assert answer is None
    assert world.events == []


@pytest.mark.parametrize("version", [NEW, OLD])
def test_a_warning_comes_with_the_result_of_its_call(world: World, version: str) -> None:
    result = middleware(DONE) if version == NEW else persisted(DONE)
    (_, before, _), (_, answer, event) = world.run(SAYS, ("before_tool_call", EXEC, WHO), result, version=version)[
        "answers"
    ]
    assert before is None, "the call passes"
    content = answer["result"]["content"] if version == NEW else event["message"]["content"]
    assert [each["text"] for each in content] == ["fine", "told at before-call"]


@pytest.mark.parametrize(
    ("decision", "hook_says"), [("cancelled", [REASON]), ("timeout", [REASON]), ("deny", []), ("allow-once", [])]
)
def test_what_a_guard_asks_is_delivered_to_the_agent_where_nobody_could_be_asked(
    world: World, decision: str, hook_says: list[str]
) -> None:
    result_content = [{"type": "text", "text": "it was not made"}]
    refused = {"content": result_content, "details": {"status": "error", "error": "it was not made"}}
    ran = decision == "allow-once"
    steps = ("before_tool_call", EXEC, WHO, decision), middleware(DONE if ran else refused, isError=not ran)
    *_, (_, answer, _) = world.run(ASKS, *steps)["answers"]
    content = answer["result"]["content"][1:] if answer else []
    assert [each["text"] for each in content] == hook_says


ALL: tuple[tuple[object, ...], ...] = (
    ("before_prompt_build", {"prompt": "hello"}, WHO),
    ("before_tool_call", EXEC, WHO),
    middleware(FAILED),
    persisted(FAILED),
    ("agent_end", {"messages": []}, WHO),
    ("session_end", {"sessionId": "s1", "reason": "idle"}, WHO),
)


@pytest.mark.parametrize(
    "answer",
    [
        "raise SystemExit(3)",
        "print('{ not json')",
        "print(json.dumps([1]))",
        "print(json.dumps({'hookSpecificOutput': {'additionalContext': 7, 'permissionDecision': 'allow'}}))",
        "import os; os.kill(os.getpid(), 9)",
        "sys.stdout.write('x' * 5_000_000)",
    ],
)
def test_a_client_that_fails_changes_nothing(world: World, answer: str) -> None:
    seen = world.run(answer, *ALL)
    assert [answer or None for _, answer, _ in seen["answers"]] == [None] * len(ALL)


def test_a_client_that_is_gone_or_no_program_changes_nothing(world: World) -> None:
    for python in ("/no/such/python", str(world.home)):
        world.python = python
        assert [answer or None for _, answer, _ in world.run(SAYS, *ALL)["answers"]] == [None] * len(ALL)


def test_a_client_that_hangs_is_left(world: World) -> None:
    began = time.monotonic()
    hangs = "import time; sys.stdout.flush(); time.sleep(60)"
    steps = (("before_tool_call", EXEC, WHO), persisted(FAILED))
    assert [answer for _, answer, _ in world.run(hangs, *steps, version=OLD)["answers"]] == [None, None]
    assert 4 < time.monotonic() - began < 20


def test_odd_events_of_the_host_are_survived(world: World) -> None:
    names = ("before_prompt_build", "before_tool_call", "middleware", "tool_result_persist", "agent_end", "session_end")
    odd: tuple[object, ...] = (None, {}, {"sessionId": 7})
    steps = [(name, event, ctx) for name in names for event in odd[:2] for ctx in odd]
    seen = world.run(SAYS, *steps)
    assert all(not answer or "appendSystemContext" in answer for _, answer, _ in seen["answers"])
