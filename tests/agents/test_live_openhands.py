"""The real OpenHands SDK: the files of a conversation in which everything happens are read correctly."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network
from tests.agents.clients import program
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from wisen.agents.openhands import OpenHands
from wisen.model.event import (
    Call,
    Concession,
    Event,
    Interrupt,
    Message,
    MessageOrigin,
    Outcome,
    Provenance,
    Rejection,
    Status,
)
from wisen.testing.agent_contract import read_all, typed_texts

pytestmark = pytest.mark.needs("openhands")


def _run(command: str, **more: object) -> Use:
    return Use("terminal", {"command": command, "summary": "do it", **more})


def _edit(path: str, **more: object) -> Use:
    return Use("file_editor", {"path": path, **more})


SCRIPT: Script = {
    "look for pears": [
        Turn("I look.", (_run("ls no_such_orchard"),)),
        Turn("", (_run("ls"),)),
        Turn("There are none."),
    ],
    "not pip": [Turn("You're right, I used pip.")],
    "write a note": [
        Turn("", (_edit("/nowhere/a.py", command="str_replace", old_str="a", new_str="b"),)),
        Turn("", (_edit("SHOP/note.txt", command="create", file_text="SECRET LINES\n"),)),
        Turn("Written."),
    ],
    "call it wrongly": [Turn("", (Use("terminal", {"wrong": "x"}),)), Turn("It was wrong.")],
    "do what is forbidden": [Turn("", (_run("forbidden fruit"),)), Turn("It was stopped.")],
    "clean up": [Turn("", (_run("rm -rf build"),)), Turn("Left alone.")],
    "ask a helper": [
        Turn(
            "", (Use("task", {"prompt": "explore it all", "description": "explore", "subagent_type": "bash-runner"}),)
        ),
        Turn("The helper looked."),
    ],
    "explore it all": [Turn("", (_run("ls nowhere_else"),)), Turn("Nothing there.")],
    "wait": [Turn("", (_run("sleep 4"),)), Turn("Waited.")],
}
DRIVER = """
import os, sys, threading, time
from pydantic import SecretStr
from openhands.sdk import LLM, Agent, Conversation, Tool
from openhands.sdk.hooks import HookConfig
from openhands.sdk.security.confirmation_policy import AlwaysConfirm
from openhands.tools.file_editor import FileEditorTool
from openhands.tools.task import TaskToolSet
from openhands.tools.preset import register_builtins_agents
from openhands.tools.terminal import TerminalTool

register_builtins_agents(enable_browser=False)
llm = LLM(model="openai/scripted-1", api_key=SecretStr("x"), base_url=os.environ["MODEL"], usage_id="agent")
agent = Agent(llm=llm, tools=[Tool(name=each.name) for each in (TerminalTool, FileEditorTool, TaskToolSet)])
words = "echo '{\\"additionalContext\\": \\"FOREIGN words of a hook\\"}'"
stops = "grep -q forbidden && { echo FOREIGN >&2; exit 2; } || exit 0"
hooks = HookConfig.from_dict({"hooks": {
    "UserPromptSubmit": [{"matcher": "*", "hooks": [{"type": "command", "command": words}]}],
    "PreToolUse": [{"matcher": "terminal", "hooks": [{"type": "command", "command": stops}]}],
}})
kept = os.path.expanduser("~/.openhands/conversations")

def begin():
    return Conversation(agent=agent, workspace=os.getcwd(), persistence_dir=kept, hook_config=hooks, visualizer=None)

talk = begin()
for said in sys.argv[1:]:
    talk.send_message(said)
    talk.run()
talk.send_message("wait for it")
running = threading.Thread(target=talk.run)
running.start()
time.sleep(2)
talk.pause()
running.join()
other = begin()
other.set_confirmation_policy(AlwaysConfirm())
other.send_message("clean up after you")
other.run()
other.reject_pending_actions("no, leave build alone")
other.run()
fork = other.fork()
fork.send_message("typed in a fork")
for each in (talk, other, fork):
    each.close()
"""
SAID = (
    *("look for pears", "No, not pip, use uv", "write a note", "call it wrongly", "do what is forbidden"),
    "ask a helper",
)


class World(Person):
    """A person's home with OpenHands and wisen in it."""

    def __init__(self, folder: Path, model: Model, ways: dict[str, str]) -> None:
        (folder / "ada" / "shop").mkdir(parents=True)
        environment = {"HOME": str(folder / "ada"), "PATH": os.environ["PATH"], "TERM": "dumb", **ways}
        environment |= {"MODEL": f"{model.address}/v1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        super().__init__(folder / "ada", folder / "ada" / "shop", environment)
        self.user = folder / "ada"

    def events(self) -> list[Event]:
        events, problems = read_all(OpenHands(self.user, {}))
        assert problems == []
        return events

    def calls(self) -> dict[str, Call]:
        return {event.id: event for event in self.events() if isinstance(event, Call)}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("live_openhands")
    with serving(SCRIPT) as model, block_network() as (ways, _):
        world = World(folder, model, ways)
        driver = world.home / "driver.py"
        driver.write_text(DRIVER)
        words = [str(program("openhands")), str(driver), *SAID]
        with (world.home / "driver.log").open("wb") as log:
            subprocess.run(
                words, cwd=world.project, env=world.environment, check=True, timeout=240, stdout=log, stderr=log
            )
        yield world


@pytest.mark.requirement("F1", "X7")
def test_only_what_the_person_typed_counts_as_typed(world: World) -> None:
    events = {event.id: event for event in world.events()}
    files = (world.user / ".openhands").rglob("event-*.json")
    assert any("FOREIGN words of a hook" in each.read_text() for each in files)
    assert sorted(map(str, typed_texts(list(events.values())))) == sorted(
        [*SAID, "wait for it", "clean up after you", "no, leave build alone", "typed in a fork"]
    )
    assert "FOREIGN" not in repr(list(events.values()))


@pytest.mark.requirement("F1")
@shows("openhands", "read")
def test_calls_that_failed_are_distinguished_from_those_that_did_not(world: World) -> None:
    calls, ends = world.calls(), {event.call: event for event in world.events() if isinstance(event, Outcome)}
    outcomes = {}
    for id_, end in ends.items():
        fields = json.loads(calls[id_].arguments or "")
        outcomes[str(fields.get("command") or fields.get("path") or fields.get("wrong") or fields.get("prompt"))] = end
    statuses = {name: end.status for name, end in outcomes.items()}
    assert statuses == {
        "ls no_such_orchard": Status.FAILED,
        "ls": Status.OK,
        "/nowhere/a.py": Status.FAILED,
        "SHOP/note.txt": Status.FAILED,
        "x": Status.FAILED,
        "forbidden fruit": Status.CANCELLED,
        "sleep 4": Status.OK,
        "explore it all": Status.OK,
        "ls nowhere_else": Status.FAILED,
    }
    assert "No such file" in (outcomes["ls no_such_orchard"].text or "")
    assert "SECRET LINES" not in repr(world.events())


@pytest.mark.requirement("F1")
def test_a_helpers_work_is_a_session_of_its_own(world: World) -> None:
    (helped,) = [event for event in world.events() if isinstance(event, Message) and event.text == "explore it all"]
    assert helped.provenance is Provenance.OTHER
    commands = {call.arguments: call.session for call in world.calls().values() if call.tool == "terminal"}
    (inner,) = [session for command, session in commands.items() if "nowhere_else" in (command or "")]
    assert inner == helped.session
    assert "/" in inner.native


@pytest.mark.requirement("F1")
def test_refusals_interrupts_concessions_and_places_are_read(world: World) -> None:
    events = list({event.id: event for event in world.events()}.values())
    kinds = [type(event) for event in events]
    assert [kinds.count(kind) for kind in (Rejection, Interrupt, Concession)] == [1, 1, 1]
    (reason,) = [event for event in events if isinstance(event, Message) and event.origin is MessageOrigin.REJECTION]
    assert reason.text == "no, leave build alone"
    assert {event.place for event in events} == {str(world.project)}


@pytest.mark.requirement("F1")
def test_wisen_learns_from_it_without_being_pointed_at_it(world: World) -> None:
    answer = json.loads(world.wisen("learn", "--json"))
    assert answer["found"]["openhands"] == 4
    assert answer["counts"]["typed_turns"] == 10
