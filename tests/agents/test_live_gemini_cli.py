"""The real Gemini CLI with wisen installed into it: what it is told reaches the model, and it leaves no trace.

The model is scripted and on loopback. That the person trusts a folder is noted as Gemini CLI notes his answer.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agents import record_claude_code
from tests.agents.abilities import shows
from tests.agents.client_sandbox import Person, block_network, texts
from tests.agents.clients import claude_code, program
from tests.agents.gemini_client import Client
from tests.agents.scripted_model import Model, Script, Turn, Use, serving
from tests.commands import WISEN
from wisen import app
from wisen.agents.gemini_cli import GeminiCli
from wisen.agents.gemini_cli.install import GeminiCliHooks
from wisen.delivery.launcher import HomeLauncher, render_script
from wisen.logs.event_filter import filter_events
from wisen.logs.settings import EventFilterPolicy
from wisen.model.event import Event, Message, Outcome, Provenance, Status
from wisen.model.hook import CLIENT, Program
from wisen.safety.sentinel import wrap
from wisen.testing.agent_contract import read_all

pytestmark = pytest.mark.needs("gemini-cli")

WRONG, NEVER, RIGHT = "python3 count.py --everything", "python3 count.py --none", "python3 count.py"
ODD, ASKED = "python3 count.py --odd", "python3 count.py --perhaps"
CORRECTION = "No, not pip. Always use uv for packages, never pip."
LESSON = "The orchard counts with count.py and no option."


def _run(command: str) -> Use:
    return Use("run_shell_command", {"command": command, "description": "Run it"})


SCRIPT: Script = {
    "look for pears": [Turn("I look.", (_run("ls no_such_orchard"),)), Turn("There are none.")],
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
        Turn("", (Use("mcp_wisen_recall", {"question": "ladder"}),)),
        Turn("", (Use("mcp_wisen_remember", {"text": LESSON}),)),
        Turn("There."),
    ],
    "the ladder stays": [Turn("Noted.")],
}
STAND_IN = """
import json, sys
event, told = sys.argv[-1], json.load(sys.stdin)
with open(sys.argv[2] + "/fired.jsonl", "a") as file:
    file.write(json.dumps([sys.argv[1:], sys.flags.isolated, told["hook_event_name"]]) + "\\n")
if event in ("session-start", "prompt", "after-call"):
    context = {"hookEventName": told["hook_event_name"], "additionalContext": WORDS.replace("EVENT", event)}
    print(json.dumps({"hookSpecificOutput": context}))
"""
WORDS = wrap("The figs are ripe: EVENT.")
BEFORE = b'{ "hooks": {\n    "AfterAgent": [ {"hooks":[{"type":"command","command":"true"}]} ]} // mine\n}\n'
CITED = re.compile(r"\((?:R-)?[0-9a-f]{8,10}(?:, [^)]*)?\)")
"""How a source is named beside what is told."""


class World(Person):
    """A person's home with Gemini CLI and wisen in it."""

    def __init__(self, client: Client, model: Model, outside: list[str]) -> None:
        super().__init__(client.home, client.project, client.environment)
        self.client, self.model, self.outside = client, model, outside
        self.prompts: list[str] = []

    @property
    def projects_settings(self) -> Path:
        return self.project / ".gemini" / "settings.json"

    def asked(self, *words: str) -> list[str]:
        """Run the client; what the model was asked meanwhile, each request as text."""
        before = len(self.model.requests)
        self.prompts.append(words[-1])
        self.client.run(*words)
        return [texts(request.get("contents")) for request in self.model.requests[before:]]

    def state(self) -> str:
        """How it is with the hooks, as `wisen agents` tells it."""
        found: list[dict[str, Any]] = json.loads(self.wisen("agents", "--json"))["agents"]
        return next(str(each["hooks"]["state"]) for each in found if each["name"] == "gemini-cli")

    def events(self) -> list[Event]:
        """All that the reader finds in the chats, as the door lets it through."""
        agent = GeminiCli(self.client.home, {})
        found = [read_all(agent, chat) for chat in self.client.chats()]
        assert [problems for _, problems in found if problems] == []
        events = [event for events, _ in found for event in events]
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
        client = Client(program("gemini-cli"), folder, model.address)
        client.environment.update(ways)
        yield World(client, model, asked)


@dataclass(frozen=True)
class ObservedSession:
    """What was seen of one session in a project that has a stand-in for the hook client in its own settings."""

    world: World
    installed: bytes
    warned: str
    """What the client told the person when it first saw the hooks of the project."""
    requests: list[str]
    fired: list[tuple[list[str], int, str]]


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ObservedSession]:
    folder = tmp_path_factory.mktemp("live_a.b")
    with a_world(folder) as world:
        world.client.trust(world.project)
        world.projects_settings.parent.mkdir()
        world.projects_settings.write_bytes(BEFORE)
        stand_in = folder.joinpath("lib", "wisen", *CLIENT)
        stand_in.parent.mkdir(parents=True)
        stand_in.write_text(f"WORDS = {WORDS!r}\n{STAND_IN}")
        launcher = HomeLauncher(world.home, Program(python=sys.executable, client=str(stand_in)))
        with app.wire(world.home, world.environment).learner(reads=False) as learner:
            learner.install.launcher = launcher
            learner.install.add("gemini-cli", world.project)
        installed = world.projects_settings.read_bytes()
        warned = world.client.run("look for pears")
        requests = [texts(request.get("contents")) for request in world.model.requests]
        lines = (world.home / "fired.jsonl").read_text().splitlines()
        yield ObservedSession(world, installed, warned, requests, [json.loads(line) for line in lines])


@pytest.mark.requirement("X5")
@shows("gemini-cli", "end")
def test_the_real_client_calls_us_on_every_event_that_was_installed(observed: ObservedSession) -> None:
    home = str(observed.world.home)
    events = ("session-start", "prompt", "before-call", "after-call", "stop", "session-end")
    assert [(words, isolated) for words, isolated, _ in observed.fired] == [
        (["--home", home, "--agent", "gemini-cli", event], 1) for event in events
    ]
    assert [name for *_, name in observed.fired] == [
        "SessionStart", "BeforeAgent", "BeforeTool", "AfterTool", "AfterAgent", "SessionEnd",
    ]  # fmt: skip


@pytest.mark.requirement("X5")
@shows("gemini-cli", "start", "prompt")
def test_what_hooks_say_reaches_the_model_at_its_moment(observed: ObservedSession) -> None:
    first, last = observed.requests[0], observed.requests[-1]
    for event in ("session-start", "prompt"):
        assert f"The figs are ripe: {event}." in first
    assert "The figs are ripe: after-call." not in first
    assert last.index("no_such_orchard") < last.index("The figs are ripe: after-call.")


def test_the_person_is_told_of_new_hooks_of_a_project_by_the_client(observed: ObservedSession) -> None:
    assert "project-level hooks have been detected" in observed.warned
    assert "- wisen" in observed.warned


def test_the_client_asks_nobody_but_the_model(observed: ObservedSession) -> None:
    assert observed.world.outside == []


def test_when_the_session_began_is_found_by_its_settings_file(observed: ObservedSession) -> None:
    client = observed.world.client
    hooks = GeminiCliHooks(client.home, {})
    began = hooks.newest_session(hooks.file())
    assert began is not None
    assert hooks.newest_session(hooks.file(client.project)) == began
    assert hooks.newest_session(hooks.file(client.home / "elsewhere")) is None


@pytest.mark.requirement("X7")
@shows("gemini-cli", "clean")
def test_the_reader_sees_none_of_our_text_though_the_client_stores_it_in_the_users_message(
    observed: ObservedSession,
) -> None:
    (chat,) = observed.world.client.chats()
    stored = chat.read_text()
    for event in ("session-start", "prompt", "after-call"):
        assert f"The figs are ripe: {event}." in stored
    assert observed.world.typed() == ["look for pears"]
    assert not any("figs are ripe" in str(event) for event in observed.world.events())


@pytest.mark.requirement("X10")
@shows("gemini-cli", "removed")
def test_the_client_leaves_its_hooks_alone_and_uninstalling_restores_every_byte(observed: ObservedSession) -> None:
    world = observed.world
    assert BEFORE != observed.installed == world.projects_settings.read_bytes()
    world.wisen("uninstall", "gemini-cli")
    assert world.projects_settings.read_bytes() == BEFORE


@dataclass(frozen=True)
class Trusted:
    """A world where our hooks were installed before the person trusted the folder that he works in."""

    world: World
    before: str
    """What installing said."""
    untrusted: str
    """How it was with the hooks before, and after the folder was trusted."""
    trusted: str
    guards: dict[str, str]
    """The guards by what they do."""


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trusted]:
    with a_world(tmp_path_factory.mktemp("live_gemini")) as world:
        held = world.client.settings.read_bytes()
        output = " ".join(world.wisen("install", "gemini-cli").split())
        untrusted = world.state()
        world.client.trust(world.project)
        trusted = world.state()
        world.asked("make the environment")
        world.asked("--resume", "latest", CORRECTION)
        guards = {
            mode: json.loads(world.wisen("guards", "add", f"{mode} shell: {each} -> {RIGHT}", "--json"))["id"]
            for mode, each in {"deny": NEVER, "warn": ODD, "ask": ASKED}.items()
        }
        world.cycle()
        yield Trusted(world, output, untrusted, trusted, guards)
        world.wisen("uninstall", "gemini-cli")
        assert world.client.settings.read_bytes() == held
        assert world.outside == []


@pytest.mark.requirement("X10")
def test_hooks_run_in_folders_that_the_person_trusts_and_they_are_told_so(ours: Trusted) -> None:
    assert "gemini-cli does not run these before you trust them: SessionStart, BeforeAgent" in ours.before
    assert "only in folders that you trust" in ours.before
    assert (ours.untrusted, ours.trusted) == ("installed, not trusted", "installed")


@pytest.mark.requirement("N9")
@shows("gemini-cli", "read", "learnt")
def test_a_correction_typed_in_one_session_is_in_the_next_ones_request_with_its_source(ours: Trusted) -> None:
    world = ours.world
    first, *_ = world.asked("say hello")
    (line,) = [line for line in first.splitlines() if "never pip" in line]
    assert CITED.search(line)
    assert world.typed() == world.prompts
    world.cycle()
    session = json.loads(world.client.chats()[-1].read_text().splitlines()[0])["sessionId"]
    assert world.exposures(session) == {("gemini-cli", "session-start")}


@pytest.mark.requirement("F4")
@shows("gemini-cli", "fix")
def test_a_command_that_was_fixed_before_gets_its_fix_right_after_it_fails(ours: Trusted) -> None:
    ours.world.asked("count the fruit")
    ours.world.cycle()
    *_, last = ours.world.asked("once more")
    behind = last[last.rindex("once more") :]
    assert f"`{WRONG}` → `{RIGHT}`" in behind
    assert CITED.search(behind)


@pytest.mark.requirement("F6")
@shows("gemini-cli", "deny")
def test_a_guard_stops_a_call_says_what_to_do_instead_and_counts_as_no_failure(ours: Trusted) -> None:
    world = ours.world
    before = len(world.events())
    *_, last = world.asked("count nothing")
    assert "unrecognized arguments: --none" not in last, "the bad call was made"
    assert f"Instead: {RIGHT}" in last
    ends = [each.status for each in world.events()[before:] if isinstance(each, Outcome)]
    assert ends == [Status.CANCELLED, Status.OK]
    world.cycle()
    shown = json.loads(world.wisen("guards", "show", ours.guards["deny"], "--json"))
    assert [(each["arm"], each["mode"]) for each in shown["log"]] == [("given", "deny")]
    assert shown["fared"]["stopped"] == 1


@shows("gemini-cli", "warn")
def test_a_warning_is_delivered_with_the_result_of_the_call_and_once_in_a_session(ours: Trusted) -> None:
    *_, last = ours.world.asked("count the odd")
    behind = last[last.rindex("count the odd") :]
    assert behind.count("unrecognized arguments: --odd") == 2, "the calls were made"
    assert behind.count("warns about this call") == 1
    assert behind.index("unrecognized arguments: --odd") < behind.index("warns about this call")


@shows("gemini-cli", "ask")
def test_a_guard_that_asks_stops_the_call_and_has_the_agent_ask(ours: Trusted) -> None:
    *_, last = ours.world.asked("count perhaps")
    assert "unrecognized arguments: --perhaps" not in last, "the call was made"
    assert "Do not make it before you have asked the user." in last


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("X5")
@shows("gemini-cli", "crossing")
def test_a_lesson_learnt_in_claude_code_reaches_it_in_the_same_project(ours: Trusted) -> None:
    world = ours.world
    other = record_claude_code.Client(claude_code(), world.client.home.parent, world.model.address, settings={})
    other.environment |= {name: value for name, value in world.environment.items() if "proxy" in name.lower()}
    other.run("From now on always write dates as year, month, day.")
    world.cycle()
    first, *_ = world.asked("say hello")
    (line,) = [line for line in first.splitlines() if "year, month, day" in line]
    assert CITED.search(line)


def test_in_a_terminal_a_session_begins_with_the_rules_and_so_does_one_after_a_clear(ours: Trusted) -> None:
    world = ours.world
    before = len(world.model.requests)

    def requests() -> list[str]:
        """What was asked since, without the questions beside the work: it sums up older sessions."""
        found = [each for each in world.model.requests[before:] if each.get("tools")]
        return [texts(request.get("contents")) for request in found]

    def asked(count: int) -> Callable[[], bool]:
        return lambda: len(requests()) >= count

    def beats(event: str) -> float:
        path = world.home / "spool" / "beats" / f"{event}@gemini-cli"
        return path.stat().st_mtime if path.exists() else 0

    started, ended = beats("session-start"), beats("session-end")
    world.client.in_terminal(
        ("", lambda: beats("session-start") > started),
        ("say hello", asked(1)),
        ("/clear", lambda: beats("session-end") > ended),
        ("say hello", asked(2)),
    )
    world.prompts += ["say hello"] * 2
    first, second = requests()
    assert first.count("never pip") == second.count("never pip") == 1
    assert first.index("never pip") < first.index("say hello")
    assert world.typed() == world.prompts


@pytest.mark.requirement("X5", "C8")
@shows("gemini-cli", "mcp")
def test_its_model_recalls_and_suggests_through_our_server(ours: Trusted) -> None:
    world = ours.world
    held = world.client.settings.read_bytes()
    server = {"command": str(WISEN), "args": ["mcp"], "env": {"WISEN_HOME": str(world.home)}, "trust": True}
    world.client.settings.write_text(json.dumps(json.loads(held) | {"mcpServers": {"wisen": server}}))
    world.asked("remember that the ladder stays in the barn")
    world.cycle()
    *_, last = world.asked("where was that")
    world.client.settings.write_bytes(held)
    delivered = last[last.rindex("where was that") :]
    assert "the ladder stays in the barn" in delivered, "what was recalled did not reach the model"
    assert "you cannot approve it" in delivered
    (waits,) = [each for each in json.loads(world.wisen("proposals", "--json"))["proposals"] if each["agent"]]
    assert (waits["text"], waits["agent"], waits["type"]) == (LESSON, "gemini-cli", "suggestion")


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("broken", ["hangs", "fails", "chatters"])
def test_nothing_that_a_hook_does_fails_the_turn(broken: str, tmp_path: Path) -> None:
    """The client itself is out of order; where it hangs, Gemini CLI goes on after the time that the hook is given."""
    ways = {"hangs": "import time; time.sleep(600)", "fails": "raise SystemExit(1)", "chatters": "print('{\"decis')"}
    with a_world(tmp_path) as world:
        world.client.trust(world.project)
        world.wisen("install", "gemini-cli")
        client = tmp_path / "client.py"
        client.write_text(ways[broken])
        (world.home / "hook").write_text(render_script(Program(python=sys.executable, client=str(client)), ""))
        *_, last = world.asked("look for pears")
        assert "no_such_orchard" in last


@shows("gemini-cli", "file")
def test_a_stated_rule_reaches_the_file_by_policy_and_is_not_said_twice(ours: Trusted) -> None:
    world = ours.world
    world.asked("From now on always end commit messages with the ticket number.")
    world.cycle()
    world.approve("ticket number")
    assert "ticket number" in (world.client.project / "GEMINI.md").read_text()
    world.cycle()
    before = len(world.model.requests)
    world.asked("say hello")
    first = next(text for text in map(texts, world.model.requests[before:]) if "say hello" in text)
    assert first.count("ticket number") == 1
