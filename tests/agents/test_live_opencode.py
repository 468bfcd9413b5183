"""The real opencode with wisen installed into it: what it is told reaches the model, and it leaves no trace.

The model is scripted and on loopback; whatever else the client asks for meets a proxy that refuses and remembers.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents import record_claude_code
from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import claude_code, program
from tests.agents.opencode_client import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from tests.commands import WISEN
from wisen import app
from wisen.agents.opencode import OpenCode
from wisen.agents.opencode.install import OpenCodeHooks
from wisen.delivery.launcher import HomeLauncher, render_script
from wisen.logs.event_filter import filter_events
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Call, Event, Message, Outcome, Provenance, Status
from wisen.model.hook import CLIENT, Program
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import read_all

pytestmark = pytest.mark.needs("opencode")

WRONG, NEVER, RIGHT = "python3 count.py --everything", "python3 count.py --none", "python3 count.py"
ODD, ASKED = "python3 count.py --odd", "python3 count.py --perhaps"
CORRECTION = "No, not pip. Always use uv for packages, never pip."
LESSON = "The orchard counts with count.py and no option."


def _run(command: str) -> Use:
    return Use("bash", {"command": command, "description": "Run it"})


SCRIPT: Script = {
    "look for pears": [Turn("I look.", (_run("ls no_such_orchard"),)), Turn("There are none.")],
    "ask a helper": [
        Turn("", (Use("task", {"description": "look", "prompt": "look everywhere", "subagent_type": "general"}),)),
        Turn("It looked."),
    ],
    "look everywhere": [Turn("", (_run("ls no_such_barn"),)), Turn("Nothing there.")],
    "say hello": [Turn("Hello.")],
    "make the environment": [Turn("I used pip.")],
    "not pip": [Turn("Understood.")],
    "count the fruit": [Turn("", (_run(WRONG),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "count nothing": [Turn("", (_run(NEVER),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "count the odd": [Turn("", (_run(ODD),)), Turn("", (_run(ODD),)), Turn("It failed.")],
    "count perhaps": [Turn("", (_run(ASKED),)), Turn("I ask.")],
    "From now on": [Turn("I will.")],
    "once more": [Turn("", (_run(WRONG),)), Turn("It failed.")],
    "where was that": [
        Turn("", (Use("wisen_recall", {"question": "ladder"}),)),
        Turn("", (Use("wisen_remember", {"text": LESSON}),)),
        Turn("There."),
    ],
    "the ladder stays": [Turn("Noted.")],
}
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], sys.flags.isolated, told]) + "\\n")
if event in ("session-start", "prompt", "failure"):
    print(json.dumps({"hookSpecificOutput": {"additionalContext": WORDS.replace("EVENT", event)}}))
"""
WORDS = wrap("The figs are ripe: EVENT.")
BEFORE = b'{\n    // mine\n    "$schema": "https://opencode.ai/config.json", "plugin": [ "./nothing.js" ] }\n'
CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""


class World(Person):
    """A person's home with opencode and wisen in it."""

    def __init__(self, client: Client, model: Model, outside: list[str]) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model, self.outside = client, model, outside
        self.prompts: list[str] = []

    @property
    def projects_settings(self) -> Path:
        return self.project / ".opencode" / "opencode.json"

    def asked(self, *words: str) -> list[str]:
        """Run the client; what the model was asked meanwhile, each request with tools as text, without the system's."""
        before = len(self.model.requests)
        self.prompts.append(words[-1])
        self.client.run(*words)
        found = [request for request in self.model.requests[before:] if request.get("tools")]
        return [texts([each for each in request["messages"] if each["role"] != "system"]) for request in found]

    def session(self) -> str:
        """The session that began last."""
        with closing(sqlite3.connect(self.client.database)) as database:
            (found,) = database.execute("SELECT id FROM session ORDER BY time_created DESC").fetchone()
        return str(found)

    def events(self) -> list[Event]:
        """All that the reader finds in the database, as the door lets it through."""
        events, problems = read_all(OpenCode(self.client.home, {}, program_prompts=True))
        assert problems == []
        return [each.event for each in filter_events(events, lambda _: None, EventFilterPolicy())]

    def typed(self) -> list[str | None]:
        """What counts as typed by the person."""
        messages = [each for each in self.events() if isinstance(each, Message)]
        return [each.text for each in messages if each.provenance is Provenance.TYPED]

    def exposures(self, session: str) -> set[tuple[str, str]]:
        """Whom a session was told something at which event, by the ledger."""
        with app.wire(self.home, self.environment).learner(reads=False) as learner:
            rows = learner.home.ledger.exposures.all(session=session)
        return {(row.agent, row.event) for row in rows}


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, asked):
        client = Client(program("opencode"), folder, model.address)
        client.environment.update(ways)
        yield World(client, model, asked)


@dataclass(frozen=True)
class ObservedSession:
    """What was seen of one session in a project that has a stand-in for the hook client in its own settings."""

    world: World
    installed: bytes
    requests: list[str]
    fired: list[tuple[list[str], int, dict[str, object]]]


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedSession]:
    folder = tmp_path_factory.mktemp("live_a.b")
    with a_world(folder) as world:
        world.projects_settings.parent.mkdir()
        world.projects_settings.write_bytes(BEFORE)
        stand_in = folder.joinpath("lib", "wisen", *CLIENT)
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f"WORDS = {WORDS!r}\n{STAND_IN}")
        launcher = HomeLauncher(world.home, Program(python=sys.executable, client=str(stand_in)))
        with app.wire(world.home, world.environment).learner(reads=False) as learner:
            learner.install.launcher = launcher
            learner.install.add("opencode", world.project)
        installed = world.projects_settings.read_bytes()
        requests = world.asked("look for pears")
        lines = (world.home / "fired.jsonl").read_text().splitlines()
        yield ObservedSession(world, installed, requests, [json.loads(line) for line in lines])


@pytest.mark.requirement("X5")
@shows("opencode", "end")
def test_the_real_client_calls_us_at_every_moment(observed: ObservedSession) -> None:
    home = str(observed.world.home)
    events = ("session-start", "prompt", "failure", "stop", "session-end")
    assert [(words, isolated) for words, isolated, _ in observed.fired] == [
        (["--home", home, "--agent", "opencode", event], 1) for event in events
    ]
    session, place = observed.world.session(), str(observed.world.project)
    assert {(payload["session_id"], payload["cwd"]) for *_, payload in observed.fired} == {(session, place)}
    start, prompt, failure, *_ = (payload for *_, payload in observed.fired)
    assert (start["source"], prompt["prompt"]) == ("startup", "look for pears")
    assert str(failure["error"]).startswith("Exit code 2\nls: ")


@pytest.mark.requirement("X5")
@shows("opencode", "start", "prompt")
def test_what_hooks_say_reaches_the_model_at_its_moment(observed: ObservedSession) -> None:
    first, last = observed.requests[0], observed.requests[-1]
    for event in ("session-start", "prompt"):
        assert first.index("look for pears") < first.index(f"The figs are ripe: {event}.")
    assert "The figs are ripe: failure." not in first
    assert last.index("no_such_orchard") < last.index("The figs are ripe: failure.")


def test_the_client_asks_nobody_but_the_model(observed: ObservedSession) -> None:
    assert observed.world.outside == []


def test_when_the_session_began_is_found_by_its_settings_file(observed: ObservedSession) -> None:
    client = observed.world.client
    hooks = OpenCodeHooks(client.home, {})
    began = hooks.newest_session(hooks.file())
    assert began is not None
    assert hooks.newest_session(hooks.file(client.project)) == began
    assert hooks.newest_session(hooks.file(client.home / "elsewhere")) is None


@pytest.mark.requirement("X7")
@shows("opencode", "clean")
def test_the_reader_sees_none_of_our_text_though_the_client_stores_it(observed: ObservedSession) -> None:
    with closing(sqlite3.connect(observed.world.client.database)) as database:
        stored = "\n".join(data for (data,) in database.execute("SELECT data FROM part"))
    for event in ("session-start", "prompt", "failure"):
        assert f"The figs are ripe: {event}." in stored
    assert observed.world.typed() == ["look for pears"]
    assert not any("figs are ripe" in str(event) for event in observed.world.events())


@pytest.mark.requirement("X10")
@shows("opencode", "removed")
def test_the_client_leaves_our_plugin_alone_and_uninstalling_restores_every_byte(observed: ObservedSession) -> None:
    world = observed.world
    assert BEFORE != observed.installed == world.projects_settings.read_bytes()
    world.wisen("uninstall", "opencode")
    assert world.projects_settings.read_bytes() == BEFORE


@dataclass(frozen=True)
class Ours:
    """A world where wisen was installed for the person."""

    world: World
    guards: dict[str, str]
    """The guards by what they do."""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ours]:
    with a_world(tmp_path_factory.mktemp("live_opencode")) as world:
        held = world.client.settings.read_bytes()
        world.wisen("install", "opencode")
        found = json.loads(world.wisen("agents", "--json"))["agents"]
        assert next(each["hooks"]["state"] for each in found if each["name"] == "opencode") == "installed"
        world.asked("make the environment")
        world.asked("--continue", CORRECTION)
        guards = {
            mode: json.loads(world.wisen("guards", "add", f"{mode} shell: {each} -> {RIGHT}", "--json"))["id"]
            for mode, each in {"deny": NEVER, "warn": ODD, "ask": ASKED}.items()
        }
        world.cycle()
        yield Ours(world, guards)
        world.wisen("uninstall", "opencode")
        assert world.client.settings.read_bytes() == held
        assert world.outside == []


@pytest.mark.requirement("N9")
@shows("opencode", "read", "learnt")
def test_a_correction_typed_in_one_session_is_in_the_next_ones_request_with_its_source(ours: Ours) -> None:
    world = ours.world
    first, *_ = world.asked("say hello")
    (line,) = [line for line in first.splitlines() if "never pip" in line]
    assert CITED.search(line)
    assert world.typed() == world.prompts
    world.cycle()
    assert world.exposures(world.session()) == {("opencode", "session-start")}


@pytest.mark.requirement("F4")
@shows("opencode", "fix")
def test_a_command_that_was_fixed_before_gets_its_fix_right_after_it_fails(ours: Ours) -> None:
    ours.world.asked("count the fruit")
    ours.world.cycle()
    *_, last = ours.world.asked("once more")
    behind = last[last.rindex("once more") :]
    assert f"`{WRONG}` → `{RIGHT}`" in behind
    assert CITED.search(behind)


@pytest.mark.requirement("F6")
@shows("opencode", "deny")
def test_a_guard_stops_a_call_says_what_to_do_instead_and_counts_as_no_failure(ours: Ours) -> None:
    world = ours.world
    before = len(world.events())
    *_, last = world.asked("count nothing")
    assert "unrecognized arguments: --none" not in last, "the bad call was made"
    assert f"Instead: {RIGHT}" in last
    ends = [each.status for each in world.events()[before:] if isinstance(each, Outcome)]
    assert ends == [Status.CANCELLED, Status.OK]
    world.cycle()
    shown = json.loads(world.wisen("guards", "show", ours.guards["deny"], "--json"))
    assert [(each["arm"], each["mode"], each["status"]) for each in shown["log"]] == [("given", "deny", "cancelled")]


@shows("opencode", "warn")
def test_a_warning_is_delivered_with_the_result_of_the_call_and_once_in_a_session(ours: Ours) -> None:
    world = ours.world
    *_, last = world.asked("count the odd")
    behind = last[last.rindex("count the odd") :]
    assert behind.count("unrecognized arguments: --odd") == 2, "the calls were made"
    assert behind.count("warns about this call") == 1
    assert behind.index("unrecognized arguments: --odd") < behind.index("warns about this call")
    world.cycle()
    shown = json.loads(world.wisen("guards", "show", ours.guards["warn"], "--json"))
    assert [(each["arm"], each["mode"], each["status"]) for each in shown["log"]] == [("given", "warn", "failed")]


@shows("opencode", "ask")
def test_a_guard_that_asks_stops_the_call_and_has_the_agent_ask(ours: Ours) -> None:
    *_, last = ours.world.asked("count perhaps")
    assert "unrecognized arguments: --perhaps" not in last, "the call was made"
    assert "Do not make it before you have asked the user." in last


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("X5")
@shows("opencode", "crossing")
def test_a_lesson_learnt_in_claude_code_reaches_it_in_the_same_project(ours: Ours) -> None:
    world = ours.world
    other = record_claude_code.Client(claude_code(), world.client.home.parent, world.model.address, settings={})
    other.environment |= {name: value for name, value in world.environment.items() if "proxy" in name.lower()}
    other.run("From now on always write dates as year, month, day.")
    world.cycle()
    first, *_ = world.asked("say hello")
    (line,) = [line for line in first.splitlines() if "year, month, day" in line]
    assert CITED.search(line)


def test_a_sub_agent_gets_nothing_at_its_beginning_and_its_prompt_is_not_the_persons(ours: Ours) -> None:
    world = ours.world
    requests = world.asked("ask a helper")
    (first, *_) = [each for each in requests if "look everywhere" in each and "ask a helper" not in each]
    assert "never pip" not in first
    assert any("never pip" in each for each in requests)
    assert "look everywhere" not in world.typed()
    barn = [each for each in world.events() if isinstance(each, Call) and "no_such_barn" in (each.arguments or "")]
    assert [each.session.native.count("/") for each in barn] == [1]


@pytest.mark.requirement("X5", "C8")
@shows("opencode", "mcp")
def test_its_model_recalls_and_suggests_through_our_server(ours: Ours) -> None:
    world = ours.world
    held = world.client.settings.read_bytes()
    server = {"type": "local", "command": [str(WISEN), "mcp"], "environment": {"WISEN_HOME": str(world.home)}}
    world.client.settings.write_text(json.dumps(json.loads(held) | {"mcp": {"wisen": server}}))
    world.asked("remember that the ladder stays in the barn")
    world.cycle()
    *_, last = world.asked("where was that")
    world.client.settings.write_bytes(held)
    delivered = last[last.rindex("where was that") :]
    assert "the ladder stays in the barn" in delivered, "what was recalled did not reach the model"
    assert "you cannot approve it" in delivered
    (waits,) = [each for each in json.loads(world.wisen("proposals", "--json"))["proposals"] if each["agent"]]
    assert (waits["text"], waits["agent"], waits["type"]) == (LESSON, "opencode", "suggestion")


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("broken", ["hangs", "fails", "chatters", "is gone"])
def test_nothing_that_the_hook_client_does_fails_the_turn(broken: str, tmp_path: Path) -> None:
    ways = {"hangs": "import time; time.sleep(600)", "fails": "raise SystemExit(1)", "chatters": "print('{\"decis')"}
    with a_world(tmp_path) as world:
        world.wisen("install", "opencode")
        client = tmp_path / "client.py"
        if broken in ways:
            client.write_text(ways[broken])
        (world.home / "hook").write_text(render_script(Program(python=sys.executable, client=str(client)), ""))
        *_, last = world.asked("look for pears")
        assert "no_such_orchard" in last


@shows("opencode", "file")
def test_a_stated_rule_reaches_the_file_by_policy_and_is_not_said_twice(ours: Ours) -> None:
    world = ours.world
    world.asked("From now on always end commit messages with the ticket number.")
    world.cycle()
    world.approve("ticket number")
    assert "ticket number" in (world.client.project / "AGENTS.md").read_text()
    world.cycle()
    before = len(world.model.requests)
    world.asked("say hello")
    working = [texts(each) for each in world.model.requests[before:] if each.get("tools")]  # not those for a title
    assert [each.count("ticket number") for each in working] == [1]
