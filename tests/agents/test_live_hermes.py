"""The real Hermes with wisen installed into it: what it is told reaches the model, and it leaves no trace.

The model is scripted and on loopback. The plug-in is enabled as a person does it, with Hermes' own command.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import program
from tests.agents.hermes_client import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from wisen import app
from wisen.agents.hermes import Hermes
from wisen.agents.hermes.install import HermesHooks
from wisen.delivery.launcher import HomeLauncher
from wisen.model.event import Call, Event, Interrupt, Message, Outcome, Provenance, Rejection, Status
from wisen.model.hook import CLIENT, Program
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import read_all
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.needs("hermes")

WRONG, RIGHT = "python3 count.py --everything", "python3 count.py"
NEVER, LOUD, SLOW, LABEL = (f"python3 count.py --{each}" for each in ("none", "loud", "slow", "label"))
CORRECTION = "No, not pip. Always use uv for packages, never pip."


def _run(command: str) -> Use:
    return Use("terminal", {"command": command})


SCRIPT: Script = {
    "From now on": [Turn("I will.")],
    "look for pears": [Turn("I look.", (_run("ls no_such_orchard"),)), Turn("There are none.")],
    "say hello": [Turn("Hello.")],
    "make the environment": [Turn("I used pip.")],
    "not pip": [Turn("Understood.")],
    "count the fruit": [Turn("", (_run(WRONG),)), Turn("", (_run(RIGHT),)), Turn("Counted.")],
    "count nothing": [Turn("", (_run(NEVER),)), Turn("", (_run(LOUD),)), Turn("", (_run(SLOW),)), Turn("Counted.")],
    "count slowly": [Turn("", (_run(SLOW),)), Turn("All is counted.")],
    "wait for figs": [Turn("", (_run("sleep 50"),)), Turn("Waited.")],
    "never mind": [Turn("Never minded.")],
    "label it": [Turn("", (_run(LABEL),)), Turn("It failed.")],
    "once more": [Turn("", (_run(WRONG),)), Turn("It failed.")],
    "ask a helper": [Turn("", (Use("delegate_task", {"goal": "explore everything"}),)), Turn("It looked.")],
    "explore everything": [Turn("", (_run("ls nowhere"),)), Turn("Nothing there.")],
}
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], sys.flags.isolated, told]) + "\\n")
context = {"hookEventName": event, "additionalContext": WORDS.replace("EVENT", event)}
print(json.dumps({"hookSpecificOutput": context}))
if event == "stop":
    import time
    time.sleep(60)
"""
WORDS = wrap("The figs are ripe: EVENT.")
CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""


class World(Person):
    """A person's home with Hermes and wisen in it."""

    def __init__(self, client: Client, model: Model) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model = client, model
        self.prompts: list[str] = []
        self.hooks = HermesHooks(client.home, {})

    def asked(self, prompt: str, *, goes_on: bool = False) -> list[str]:
        """Run the client; what the model was asked meanwhile, each request as text."""
        before = len(self.model.requests)
        self.prompts.append(prompt)
        if goes_on:
            self.client.go_on(prompt)
        else:
            self.client.ask(prompt)
        return [texts(request.get("messages")) for request in self.model.requests[before:]]

    def state(self) -> str:
        """How it is with the hooks, as `wisen agents` tells it."""
        found: list[dict[str, Any]] = json.loads(self.wisen("agents", "--json"))["agents"]
        return next(str(each["hooks"]["state"]) for each in found if each["name"] == "hermes")

    def events(self) -> list[Event]:
        """All that the reader finds in the database."""
        events, problems = read_all(Hermes(self.client.home, {}))
        assert problems == []
        return events

    def typed(self) -> list[str | None]:
        """What counts as typed by the person."""
        messages = [each for each in self.events() if isinstance(each, Message)]
        return [each.text for each in messages if each.provenance is Provenance.TYPED]

    def kept(self, column: str) -> str:
        """Everything that the client keeps in a column of its messages."""
        with closing(sqlite3.connect(self.client.database)) as database:
            rows = database.execute(f"SELECT {column} FROM messages").fetchall()
        return "\n".join(str(value) for (value,) in rows)


@contextmanager
def a_world(folder: Path) -> Iterator[World]:
    with serving(SCRIPT) as model, block_network() as (ways, _):
        client = Client(program("hermes"), folder, model.address)
        client.environment.update(ways)
        yield World(client, model)


@dataclass(frozen=True)
class ObservedSession:
    """What was seen of a session of two turns, in a project with a stand-in for the hook client that hangs at last."""

    world: World
    installed: bytes
    requests: list[list[str]]
    """Of each turn."""
    fired: list[tuple[list[str], int, dict[str, Any]]]


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedSession]:
    folder = tmp_path_factory.mktemp("live_a.b")
    with a_world(folder) as world:
        stand_in = folder.joinpath("lib", "wisen", *CLIENT)
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f"WORDS = {WORDS!r}\n{STAND_IN}")
        launcher = HomeLauncher(world.home, Program(python=sys.executable, client=str(stand_in)))
        package = Path(app.__file__).parent
        (folder / "lib" / "wisen" / "agents").symlink_to(package / "agents")
        with app.wire(world.home, world.environment).learner(reads=False) as learner:
            learner.install.launcher = launcher
            learner.install.add("hermes", world.project)
        installed = world.hooks.file(world.project).read_bytes()
        world.client.environment["HERMES_ENABLE_PROJECT_PLUGINS"] = "1"
        world.client.config.write_text(world.client.config.read_text() + "plugins:\n  enabled: [wisen]\n")
        requests = [world.asked(prompt, goes_on=True) for prompt in ("look for pears", "say hello")]
        lines = (world.home / "fired.jsonl").read_text().splitlines()
        yield ObservedSession(world, installed, requests, [json.loads(line) for line in lines])


@pytest.mark.requirement("X5")
@shows("hermes", "end")
def test_the_real_client_calls_us_on_every_event_that_was_installed(observed: ObservedSession) -> None:
    home = str(observed.world.home)
    assert all(
        (words[:4], isolated) == (["--home", home, "--agent", "hermes"], 1) for words, isolated, _ in observed.fired
    )
    assert [words[-1] for words, *_ in observed.fired] == [
        *("session-start", "prompt", "before-call", "failure", "stop", "session-end"),
        *("session-start", "prompt", "stop", "session-end"),
    ]
    assert {payload["cwd"] for *_, payload in observed.fired} == {str(observed.world.project)}
    assert len({payload["session_id"] for *_, payload in observed.fired}) == 1
    sources = [payload["source"] for words, _, payload in observed.fired if words[-1] == "session-start"]
    assert sources == ["startup", "resume"]


@pytest.mark.requirement("X5")
@shows("hermes", "start", "prompt")
def test_what_hooks_say_reaches_the_model_at_its_moment(observed: ObservedSession) -> None:
    first, last = observed.requests[0][0], observed.requests[0][-1]
    for event in ("session-start", "prompt"):
        assert f"The figs are ripe: {event}." in first
    assert "The figs are ripe: failure." not in first
    behind = last[last.index("no_such_orchard") :]
    assert "The figs are ripe: failure." in behind
    assert "No such file or directory" in behind


@pytest.mark.requirement("X5")
def test_a_hook_that_hangs_fails_no_turn(observed: ObservedSession) -> None:
    assert observed.requests[1], "the turn behind the one whose end hung was not made"
    assert "There are none." in observed.requests[1][0]


def test_when_the_session_began_is_found_by_its_settings_file(observed: ObservedSession) -> None:
    hooks, world = observed.world.hooks, observed.world
    began = hooks.newest_session(hooks.file(world.project))
    assert began is not None
    assert hooks.newest_session(hooks.file()) == began
    assert hooks.newest_session(hooks.file(world.client.home / "elsewhere")) is None


@pytest.mark.requirement("X7")
@shows("hermes", "clean")
def test_the_reader_sees_none_of_our_text_as_typed_nor_as_a_tools(observed: ObservedSession) -> None:
    assert "The figs are ripe: prompt" in observed.world.kept("api_content")
    assert "The figs are ripe: failure" in observed.world.kept("content")
    assert observed.world.typed() == ["look for pears", "say hello"]
    (end,) = [each for each in observed.world.events() if isinstance(each, Outcome)]
    assert end.status is Status.FAILED
    assert not any("figs are ripe" in str(event) for event in observed.world.events())


@pytest.mark.requirement("X10")
@shows("hermes", "removed")
def test_the_client_leaves_its_plug_in_alone_and_uninstalling_takes_it_away(observed: ObservedSession) -> None:
    world, file = observed.world, observed.world.hooks.file(observed.world.project)
    config = world.client.config.read_bytes()
    assert observed.installed == file.read_bytes()
    world.wisen("uninstall", "hermes")
    assert [path for path in file.parent.rglob("*") if path.is_file() and path.suffix != ".pyc"] == []
    assert world.client.config.read_bytes() == config
    assert not world.hooks.file().exists()


@dataclass(frozen=True)
class Enabled:
    """A world where our plug-in was installed, not enabled for two turns, and then enabled."""

    world: World
    before: str
    """What installing said."""
    waiting: str
    """How it was with the hooks before, and after the plug-in was enabled."""
    enabled: str
    beats: bool
    """Whether any hook fired before."""
    guards: dict[str, str]
    """The ids of the guards, by what they do."""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enabled]:
    with a_world(tmp_path_factory.mktemp("live_hermes")) as world:
        output = " ".join(world.wisen("install", "hermes").split())
        world.asked("make the environment", goes_on=True)
        world.asked(CORRECTION, goes_on=True)
        beats, waiting = (world.home / "spool" / "beats").exists(), world.state()
        guards = {
            does: json.loads(world.wisen("guards", "add", f"{does} shell: {command} -> {RIGHT}", "--json"))["id"]
            for does, command in (("deny", NEVER), ("warn", LOUD), ("ask", SLOW))
        }
        world.client.enable()
        world.cycle()
        yield Enabled(world, output, waiting, world.state(), beats, guards)
        world.wisen("uninstall", "hermes")
        assert not world.hooks.file().exists()
        assert not world.hooks.file().with_name("__init__.py").exists()


@pytest.mark.requirement("X10")
def test_it_runs_once_the_person_enables_it_and_they_are_told_how(ours: Enabled) -> None:
    assert "hermes does not run these before you trust them: pre_llm_call" in ours.before
    assert "hermes plugins enable wisen" in ours.before
    assert (ours.waiting, ours.beats) == ("installed, not trusted", False)
    assert ours.enabled == "installed"


@pytest.mark.requirement("N9")
@shows("hermes", "learnt")
def test_a_correction_typed_in_one_session_is_in_the_next_ones_request_with_its_source(ours: Enabled) -> None:
    world = ours.world
    first, *_ = world.asked("say hello")
    assert "never pip" in first
    assert CITED.search(first)
    assert world.typed() == world.prompts
    world.cycle()
    session = world.events()[-1].session.native
    with app.wire(world.home, world.environment).learner(reads=False) as learner:
        rows = learner.home.ledger.exposures.all(session=session)
    assert {(row.agent, row.event) for row in rows} == {("hermes", "session-start")}
    beats = {path.name for path in (world.home / "spool" / "beats").iterdir()}
    assert {"session-start@hermes", "prompt@hermes", "stop@hermes"} <= beats
    assert (world.home / "spool" / "wake").exists()


@pytest.mark.requirement("F4")
@shows("hermes", "fix", "read")
def test_a_command_that_was_fixed_before_gets_its_fix_right_after_it_fails(ours: Enabled) -> None:
    before = len(ours.world.events())
    ours.world.asked("count the fruit")
    ends = [each.status for each in ours.world.events()[before:] if isinstance(each, Outcome)]
    assert ends == [Status.FAILED, Status.OK]
    ours.world.cycle()
    *_, last = ours.world.asked("once more")
    behind = last[last.rindex("once more") :]
    assert f"`{WRONG}` → `{RIGHT}`" in behind
    assert CITED.search(behind)


@pytest.mark.requirement("X5")
@shows("hermes", "crossing")
def test_a_lesson_and_a_fix_learnt_in_claude_code_reach_hermes_in_the_same_project(ours: Enabled) -> None:
    world = ours.world
    transcript = ClaudeTranscript(cwd=str(world.project), start=datetime.now(UTC) - timedelta(hours=1))
    transcript.prompt("count for the label")
    transcript.bash(LABEL, "count.py: error: unrecognized arguments: --label", exit_code=1)
    transcript.bash(RIGHT, "7")
    transcript.say("Done.")
    transcript.prompt("From now on always write dates as year, month, day.")
    transcript.write(world.client.home / ".claude" / "projects" / "shop")
    world.cycle()
    first, *_, last = world.asked("label it")
    (line,) = [line for line in first.splitlines() if "year, month, day" in line]
    assert CITED.search(line)
    assert f"`{LABEL}` → `{RIGHT}`" in last[last.rindex("label it") :]


@pytest.mark.requirement("F6")
@shows("hermes", "deny", "warn")
def test_guards_stop_a_call_or_warn_with_its_result_and_what_was_stopped_is_no_failure(ours: Enabled) -> None:
    world = ours.world
    before = len(world.events())
    *_, last = world.asked("count nothing")
    assert "unrecognized arguments: --none" not in last, "the bad call was made"
    assert "unrecognized arguments: --slow" not in last, "nobody was there to be asked, and the call was made"
    assert "unrecognized arguments: --loud" in last, "a warning stopped the call"
    warned = last[last.rindex(LOUD) : last.rindex("unrecognized arguments: --loud")]
    assert f"Instead: {RIGHT}" in warned
    assert f"Instead: {RIGHT}" in last[last.rindex(NEVER) : last.rindex(LOUD)]
    assert "before you have asked the user" in last[last.rindex(SLOW) :]
    ends = [each.status for each in world.events()[before:] if isinstance(each, Outcome)]
    assert ends == [Status.CANCELLED, Status.FAILED, Status.CANCELLED]
    world.cycle()
    shown = json.loads(world.wisen("guards", "show", ours.guards["deny"], "--json"))
    assert [(each["arm"], each["mode"], each["status"]) for each in shown["log"]] == [("given", "deny", "cancelled")]


@pytest.mark.requirement("F6", "F1")
@shows("hermes", "ask")
def test_a_guard_has_hermes_ask_the_person_whose_refusal_and_interrupt_are_read(ours: Enabled) -> None:
    world = ours.world
    before = len(world.events())
    screen = world.client.in_terminal(
        ("❯", "count slowly\r"),
        ("4. Deny", "4"),
        ("All is counted", "wait for figs\r"),
        ("sleep 50", "never mind\r"),
        ("Never minded", "/exit\r"),
    )
    assert SLOW in screen
    assert f"Instead: {RIGHT}" in screen
    new = world.events()[before:]
    assert [type(each) for each in new] == [Message, Call, Rejection, Message, Call, Interrupt, Message]


@pytest.mark.requirement("F1")
def test_what_a_helper_does_is_of_the_same_project_and_nobody_typed_it(ours: Enabled) -> None:
    world = ours.world
    before, typed = len(world.events()), world.typed()
    world.asked("ask a helper")
    new = world.events()[before:]
    (failed,) = [each for each in new if isinstance(each, Outcome) and each.status is Status.FAILED]
    assert failed.place == str(world.project)
    assert "/" in failed.session.native
    assert world.typed() == [*typed, "ask a helper"]


@shows("hermes", "file")
def test_a_stated_rule_reaches_the_file_by_policy_and_is_not_said_twice(ours: Enabled) -> None:
    world = ours.world
    world.asked("From now on always end commit messages with the ticket number.")
    world.cycle()
    world.approve("ticket number")
    assert "ticket number" in (world.client.project / "AGENTS.md").read_text()
    world.cycle()
    before = len(world.model.requests)
    world.asked("say hello")
    first = next(text for text in map(texts, world.model.requests[before:]) if "say hello" in text)
    assert first.count("ticket number") == 1
